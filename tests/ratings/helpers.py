"""Matches in short, written briefly."""

import hashlib
import random
from collections.abc import Sequence

from runner.table.summary import MatchSummary, SeatSummary


def ranks(totals: Sequence[float]) -> list[int]:
    return [1 + sum(other > total for other in totals) for total in totals]


def match(
    number: int, totals: dict[str, int], *, faults: dict[str, tuple[str, ...]] | None = None, absent: Sequence[str] = ()
) -> MatchSummary:
    """Return a match: `faults` names who faulted and how, `absent` whose seat the stand-in held throughout."""
    faults = faults or {}
    out = {*faults, *absent}
    scores = [-9_999 if one in out else total for one, total in totals.items()]
    seats = tuple(
        SeatSummary(one, total, rank, one in out, faults.get(one, ()), 20)
        for (one, total), rank in zip(totals.items(), ranks(scores), strict=True)
    )
    key = hashlib.sha256(repr((number, totals, faults, absent)).encode()).digest()
    return MatchSummary(key, len(totals), 40, seats)


def random_matches(seed: int, entrants: Sequence[str], size: int, number: int, fault_share: float = 0.0):
    """Return matches at random tables; entrant i is worth about 3 i points a game."""
    rng = random.Random(seed)
    found = []
    for index in range(number):
        table = rng.sample(list(entrants), size)
        luck = rng.randrange(-80, 80)
        totals = {one: luck + size * 3 * list(entrants).index(one) + rng.randrange(-60, 60) for one in table}
        faults = {one: ("died",) for one in table if rng.random() < fault_share}
        found.append(match(index, totals, faults=faults))
    return found
