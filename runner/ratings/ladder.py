"""TrueSkill over a whole run, match by match in schedule order, and the state from which to go on."""

import hashlib
import json
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from runner.ratings.trueskill_model import Player, Rating, TrueSkillModel
from runner.table.summary import MatchSummary, SeatSummary

# Part of every checkpoint's hash: a state computed otherwise is not gone on from.
_METHOD = b"trueskill-v1 tau=0 draw_probability=0.05"


class Checkpoint(NamedTuple):
    """Ratings after the first `prefix` matches of a run, whose keys hash to `prefix_hash`; `state` is JSON."""

    prefix: int
    prefix_hash: bytes
    state: str

    def holds(self, keys: Iterable[bytes]) -> bool:
        """Return whether the matches `keys`, in schedule order, begin with those that the state comes from."""
        count, digest = 0, hashlib.sha256(_METHOD)
        for key in islice(keys, self.prefix):
            count += 1
            digest.update(key)
        return count == self.prefix and digest.digest() == self.prefix_hash


def is_replaced(seat: SeatSummary) -> bool:
    """Return whether the stand-in held the seat from the first card: then the entrant was not there at all."""
    return seat.stand_in and not seat.faults


def counts(summary: MatchSummary) -> bool:
    """Return whether a match counts: not if there is no seat whose entrant played all of it."""
    return any(not seat.stand_in for seat in summary.seats)


class Ladder:
    """Ratings that grow with each match added, from nothing or from a checkpoint that holds.

    From a checkpoint, the first `prefix` matches have to be added all the same and are passed over quickly.
    """

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        self._model = TrueSkillModel()
        self._digest = hashlib.sha256(_METHOD)
        self._count = 0
        self._known = checkpoint.prefix if checkpoint else 0
        state: dict[str, tuple[float, float]] = json.loads(checkpoint.state) if checkpoint else {}
        self.ratings = {entrant: Rating(*rating) for entrant, rating in state.items()}

    def add(self, summary: MatchSummary) -> None:
        """Rate the next match in schedule order. One that counts for nobody, or for one alone, changes nothing."""
        self._digest.update(summary.key)
        self._count += 1
        if self._count <= self._known or not counts(summary):
            return
        players = [
            Player(seat.entrant, self.ratings.get(seat.entrant, Rating()), seat.rank)
            for seat in summary.seats
            if not is_replaced(seat)
        ]
        if len(players) > 1:
            self.ratings.update(self._model.rate(players))

    def checkpoint(self) -> Checkpoint:
        """Return the state after the matches added so far."""
        state = json.dumps({entrant: list(self.ratings[entrant]) for entrant in sorted(self.ratings)})
        return Checkpoint(self._count, self._digest.digest(), state)
