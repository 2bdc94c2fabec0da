"""Which tables meet, in which order, and what their deals are called."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import NamedTuple

Table = tuple[str, ...]


class Fixture(NamedTuple):
    """A match of the schedule: the name of its deal, and its table as entrant ids in order of entry."""

    deal: str
    table: Table


def table_name(ids: Iterable[str]) -> str:
    """Return TABLE of the deal's name: 16 hexadecimal digits that stand for the set of entrants, in any order."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()[:16]


class Balance(NamedTuple):
    """How even a schedule is, over all replicates: tables per entrant, and meetings of pairs that may meet."""

    least_tables: int
    most_tables: int
    least_meetings: int
    most_meetings: int


@dataclass(frozen=True)
class Schedule:
    """A whole schedule; iterating is lazy, may be repeated, and gives the same fixtures every time.

    `positions(r)` yields the tables of replicate r as indices into `entrants`; each replicate has as many.
    Members of one team (`teams`: entrant to team) never share a table: tables with two of them are left out.
    `kind` is "full" or "cyclic".
    """

    kind: str
    entrants: tuple[str, ...]
    replicates: int
    positions: Callable[[int], Iterable[tuple[int, ...]]]
    teams: Mapping[str, str]

    def tables(self, replicate: int) -> Iterator[Table]:
        """Yield the tables of one replicate, from 0, with their entrants in order of entry."""
        for positions in self.positions(replicate):
            table = tuple(self.entrants[position] for position in sorted(positions))
            if not self.teams or self._apart(table):
                yield table

    def __iter__(self) -> Iterator[Fixture]:
        # The n of `TABLE.n` is how often the table came before, so it keeps its deals when others come or go.
        seen: Counter[str] = Counter()
        for table in chain.from_iterable(map(self.tables, range(self.replicates))):
            name = table_name(table)
            yield Fixture(f"{name}.{seen[name]}", table)
            seen[name] += 1

    def __len__(self) -> int:
        return self._length

    @cached_property
    def _length(self) -> int:
        if not self.teams and self.replicates:
            return self.replicates * sum(1 for _ in self.positions(0))
        return sum(1 for replicate in range(self.replicates) for _ in self.tables(replicate))

    def _apart(self, table: Table) -> bool:
        teams = [self.teams[one] for one in table if one in self.teams]
        return len(set(teams)) == len(teams)

    @cached_property
    def balance(self) -> Balance:
        """Return how even the schedule is, found by counting (about 5 us a match, once)."""
        seats = Counter(dict.fromkeys(self.entrants, 0))
        pairs = Counter(dict.fromkeys(filter(self._apart, combinations(self.entrants, 2)), 0))
        for table in chain.from_iterable(map(self.tables, range(self.replicates))):
            seats.update(table)
            pairs.update(combinations(table, 2))
        least, most = min(pairs.values(), default=0), max(pairs.values(), default=0)
        return Balance(min(seats.values()), max(seats.values()), least, most)
