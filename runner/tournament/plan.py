"""What a run is to play: every match in schedule order, named by a hash of all that goes into it.

A plan is a pure function of its terms. Resuming, editing one bot and running again after a crash are therefore the
same thing: play the matches whose keys have no result yet.
"""

import hashlib
import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from runner.game.deal import seat_order
from runner.game.presets import resolve_rules
from runner.game.rules import GameRules
from runner.game.stream import Stream
from runner.protocol.messages import PROTOCOL_VERSION, WireClock
from runner.ratings.standings import RankBy
from runner.referee.game import REFEREE_REVISION
from runner.schedule.fixtures import Fixture, Schedule
from runner.schedule.make import make_schedule
from runner.table.conditions import Conditions
from runner.table.results import MatchPlan
from runner.tournament.keys import FaultPolicy

STAND_IN = b"\0" * 32  # stands for the snapshot of a seat that the stand-in holds from the first card

# Which entrants faulted in the match with this key; None if it has not been played.
Faulted = Callable[[bytes], frozenset[str] | None]


class Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that decides a run's results, as stored with them. `entrants` are in order of entry, `house` among them.

    `snapshots` has the SHA-256 of each entrant's snapshot, `fresh` the entrants that get a new process every game;
    `names` are what the bots are shown of each other, null if nothing.
    """

    name: str
    seed: str
    guessable_seed: bool
    rules: dict[str, Any]
    table: int
    entrants: tuple[str, ...]
    house: tuple[str, ...]
    snapshots: dict[str, str]
    fresh: tuple[str, ...]
    replicates: int
    matches: int
    full_up_to: int
    clock: WireClock
    faults: FaultPolicy
    isolation: str
    names: dict[str, str] | None
    rank_by: RankBy


@dataclass(frozen=True)
class Plan:
    """The matches that `terms` lead to."""

    terms: Terms

    @cached_property
    def rules(self) -> GameRules:
        """The rules for this table's number of players."""
        return resolve_rules(self.terms.rules).for_players(self.terms.table)

    @cached_property
    def conditions(self) -> Conditions:
        """What is the same for every match."""
        return Conditions(self.rules, self._seed, self.terms.clock, self.terms.names)

    @cached_property
    def snapshots(self) -> Mapping[str, bytes]:
        """The snapshot hash of each entrant."""
        return {entrant: bytes.fromhex(snapshot) for entrant, snapshot in self.terms.snapshots.items()}

    @cached_property
    def schedule(self) -> Schedule:
        """Which tables meet."""
        terms = self.terms
        return make_schedule(
            terms.entrants,
            terms.table,
            terms.replicates,
            Stream(self._seed, "schedule"),
            matches=terms.matches,
            full_up_to=terms.full_up_to,
        )

    @property
    def games_a_match(self) -> int:
        """How many games a match has: one a rotation."""
        return self.terms.table

    def matches(self, faulted: Faulted) -> Iterator[MatchPlan]:
        """Yield every match in schedule order, as the faults known so far make it.

        Disqualification takes effect at the first point in schedule order where the entrant has more matches with a
        fault than both bounds allow. Matches not yet played count as faultless: with all played the order is final.
        """
        return self._walk(faulted, set())

    def disqualified(self, faulted: Faulted) -> frozenset[str]:
        """Return who is out by the end of the schedule, by the faults known so far."""
        out: set[str] = set()
        deque(self._walk(faulted, out), maxlen=0)
        return frozenset(out)

    def _walk(self, faulted: Faulted, out: set[str]) -> Iterator[MatchPlan]:
        """Yield the matches; who is disqualified on the way is added to `out`."""
        bounds = self.terms.faults.disqualify
        scheduled = Counter(entrant for fixture in self.schedule for entrant in fixture.table)
        allowed = {entrant: max(bounds.matches, bounds.share * scheduled[entrant]) for entrant in self.terms.entrants}
        counts: Counter[str] = Counter()

        def count(offenders: frozenset[str]) -> None:
            counts.update(offenders)
            out.update(entrant for entrant in offenders if counts[entrant] > allowed[entrant])

        # Passed before they had a result: whoever plays as this goes along stops playing with a bot that is out soon.
        unknown: deque[bytes] = deque()
        for fixture in self.schedule:
            while unknown and (offenders := faulted(unknown[0])) is not None:
                count(offenders)
                unknown.popleft()
            match = self._match(fixture, out)
            yield match
            if (offenders := faulted(match.key)) is None:
                unknown.append(match.key)
            else:
                count(offenders)

    def _match(self, fixture: Fixture, out: AbstractSet[str]) -> MatchPlan:
        seated = seat_order(self._seed, fixture.deal, fixture.table)
        stand_ins = frozenset(seated).intersection(out)
        parts = (STAND_IN if entrant in stand_ins else self._parts[entrant] for entrant in seated)
        key = hashlib.sha256(b"".join((self._base, fixture.deal.encode(), b"\0", *parts))).digest()
        return MatchPlan(key, fixture.deal, seated, stand_ins)

    @cached_property
    def _seed(self) -> bytes:
        return bytes.fromhex(self.terms.seed)

    @cached_property
    def _parts(self) -> Mapping[str, bytes]:
        """What an entrant adds to the keys of its own matches, and of no others: every part 32 bytes."""
        terms = self.terms
        return {
            entrant: hashlib.sha256(
                json.dumps(
                    [terms.snapshots[entrant], entrant in terms.fresh, (terms.names or {}).get(entrant)]
                ).encode()
            ).digest()
            for entrant in terms.entrants
        }

    @cached_property
    def _base(self) -> bytes:
        """The hash of what all matches share. The deal's name stands for the table's ids and their seats."""
        terms = self.terms
        shared = {
            "referee": REFEREE_REVISION,
            "protocol": PROTOCOL_VERSION,
            "seed": terms.seed,
            "rules": terms.rules,
            "clock": msgspec.to_builtins(terms.clock),
            "disqualify": msgspec.to_builtins(terms.faults.disqualify),
        }
        return hashlib.sha256(json.dumps(shared, sort_keys=True).encode()).digest()
