"""Decision times of each entrant, in memory that does not grow with the number of decisions."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

# Times below this many microseconds are kept exactly, longer ones to the power of two above 1/1024 of themselves.
_EXACT = 2_048


@dataclass(frozen=True, slots=True)
class DecisionTimes:
    """An entrant's times in microseconds: half and 99 % of its decisions took no longer than `median` and `p99`.

    Times from 2,048 on may be up to 0.1 % too low.
    """

    decisions: int
    median: int
    p99: int


def _coarse(micros: int) -> int:
    if micros < _EXACT:
        return micros
    dropped = micros.bit_length() - 11
    return micros >> dropped << dropped


def _quantile(counts: Counter[int], total: int, percent: int) -> int:
    """Return the nearest-rank quantile: the least time that `percent` of all do not exceed."""
    wanted = -(-total * percent // 100)
    for micros in sorted(counts):
        wanted -= counts[micros]
        if wanted <= 0:
            break
    return micros


def decision_times(times: Iterable[tuple[str, int]]) -> dict[str, DecisionTimes]:
    """Return the times of each entrant, sorted by id, from (entrant, microseconds) pairs in any order."""
    counts: dict[str, Counter[int]] = {}
    for entrant, micros in times:
        counts.setdefault(entrant, Counter())[_coarse(micros)] += 1
    found = {}
    for entrant in sorted(counts):
        total = counts[entrant].total()
        median, p99 = (_quantile(counts[entrant], total, percent) for percent in (50, 99))
        found[entrant] = DecisionTimes(total, median, p99)
    return found
