"""The results of a run, kept in one SQLite file by match key."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from runner.store import rows
from runner.store.database import FILE_NAME, close_written, open_to_read, open_to_write, transaction
from runner.store.errors import StoreError, told
from runner.table.results import FaultRecord, MatchResult
from runner.table.summary import MatchSummary
from runner.text import escape


@dataclass(frozen=True, slots=True)
class StoredEntrant:
    """An entrant as the run knows it: `snapshot` is its current 32-byte hash, `manifest` JSON."""

    id: str
    name: str
    snapshot: bytes
    manifest: str


@dataclass(frozen=True, slots=True)
class Summaries:
    """The stored matches among `keys`, in their order, in short. Can be iterated as often as `keys` can."""

    connection: sqlite3.Connection
    path: Path
    keys: Iterable[bytes]

    def __iter__(self) -> Iterator[MatchSummary]:
        for key in self.keys:
            with told(self.path):
                summary = rows.read_summary(self.connection, key)
            if summary is not None:
                yield summary


class Store:
    """The results in a run's directory, open to write (one at a time: hold a `RunLock`) or to read.

    Every method raises `StoreError` when the file cannot be used, `StoreFullError` when the disk is full. A store
    belongs to the thread that opened it. Readers see what was committed when each call began.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, *, writes: bool) -> None:
        self._connection = connection
        self._writes = writes
        self.path = path
        with told(path):
            self._inode = path.stat().st_ino

    @classmethod
    def create_or_open(cls, directory: Path) -> "Store":
        """Return the store in `directory`, to write; both are made if they are not there."""
        path = directory / FILE_NAME
        return cls(open_to_write(path), path, writes=True)

    @classmethod
    def open_readonly(cls, directory: Path) -> "Store":
        """Return the store in `directory`, to read; it may be in a read-only place, or be written to by a run."""
        path = directory / FILE_NAME
        return cls(open_to_read(path), path, writes=False)

    def close(self) -> None:
        """Close the file; after writing it is one plain file without a journal beside it."""
        with told(self.path):
            if self._writes:
                close_written(self._connection)
            else:
                self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # The run as a whole

    def get(self, name: str) -> str | None:
        """Return the run's value `name`, or None."""
        with told(self.path):
            row = self._connection.execute("select v from run where k = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set(self, name: str, value: str) -> None:
        """Store the run's value `name`."""
        with told(self.path):
            self._connection.execute("insert or replace into run values (?, ?)", (name, value))

    def claim(self, name: str, value: str) -> None:
        """Store a value that makes this the tournament it is; raise `StoreError` if another one is stored."""
        self.refuse_another(name, value)
        self.set(name, value)

    def refuse_another(self, name: str, value: str) -> None:
        """Raise `StoreError` if another value than this one has been claimed."""
        stored = self.get(name)
        if stored not in (None, value):
            raise StoreError(
                f"{escape(str(self.path))} belongs to another tournament: its {name} is {escape(stored, 80)}, "
                f"not {escape(value, 80)}. Choose another directory with --out."
            )

    def see_entrants(self, entrants: Sequence[StoredEntrant]) -> None:
        """Store `entrants`; new ones follow those seen before, in the order given, known ones keep their place."""
        with told(self.path), transaction(self._connection):
            self._connection.executemany(
                """
                insert into entrant select ?, (select coalesce(max(entry) + 1, 0) from entrant), ?, ?, ? where true
                on conflict(id) do update set name = excluded.name, snapshot = excluded.snapshot,
                  manifest = excluded.manifest
                """,
                [(one.id, rows.storable(one.name), one.snapshot, rows.storable(one.manifest)) for one in entrants],
            )

    def entrants(self) -> tuple[StoredEntrant, ...]:
        """Return all entrants that the run has ever seen, in order of entry."""
        with told(self.path):
            found = self._connection.execute("select id, name, snapshot, manifest from entrant order by entry")
            return tuple(StoredEntrant(*row) for row in found)

    def schedule(self, keys: Iterable[bytes]) -> None:
        """Store which matches the views are to look at: those of the schedule as it is now, played or not."""
        with told(self.path), transaction(self._connection):
            self._connection.execute("delete from scheduled")
            self._connection.executemany("insert into scheduled values (?)", ((key,) for key in keys))

    # Matches

    def write(self, results: Sequence[MatchResult]) -> int:
        """Store `results` in one transaction; return how many were new. A key that is stored keeps what it has."""
        self._check_in_place()
        with told(self.path), transaction(self._connection):
            return sum(rows.write_match(self._connection, result) for result in results)

    def _check_in_place(self) -> None:
        """Raise `StoreError` if the file has been removed or moved: what is written would be lost without a word."""
        try:
            inode = self.path.stat().st_ino
        except OSError:
            inode = -1
        if inode != self._inode:
            raise StoreError(
                f"{escape(str(self.path))} has been removed or moved, or another is in its place. "
                "Put it back, or run again from the start."
            )

    def has(self, key: bytes) -> bool:
        """Return whether a match is stored under `key`."""
        with told(self.path):
            return self._connection.execute("select 1 from match where key = ?", (key,)).fetchone() is not None

    def keys(self) -> Iterator[bytes]:
        """Yield the keys of all stored matches, sorted."""
        with told(self.path):
            for (key,) in self._connection.execute("select key from match order by key"):
                yield key

    def result(self, key: bytes) -> MatchResult | None:
        """Return the match stored under `key`, or None."""
        with told(self.path):
            return rows.read_match(self._connection, key, self.path)

    def summaries(self, keys: Iterable[bytes]) -> Summaries:
        """Return the stored matches among `keys` in short, one at a time and in their order; others are passed over."""
        return Summaries(self._connection, self.path, keys)

    def faults(self, keys: Iterable[bytes]) -> Iterator[tuple[bytes, FaultRecord]]:
        """Yield the faults of the matches `keys`, in their order, each with its match's key."""
        for key in keys:
            with told(self.path):
                found = rows.read_faults(self._connection, key)
            for fault in found:
                yield key, fault

    def faulted(self) -> dict[bytes, frozenset[str]]:
        """Return who faulted, by the keys of all stored matches in which somebody did."""
        found: dict[bytes, frozenset[str]] = {}
        with told(self.path):
            for key, entrant in self._connection.execute("select key, entrant from fault join match using (match)"):
                found[key] = found.get(key, frozenset()) | {entrant}
        return found

    # Attempts that our side spoilt, and states of long computations

    def attempt(self, key: bytes, why: str) -> int:
        """Note an attempt at the match `key` that was void, and why; return how many there are now."""
        with told(self.path), transaction(self._connection):
            number = len(self.attempts(key)) + 1
            self._connection.execute("insert into attempt values (?, ?, ?)", (key, number, rows.storable(why)))
        return number

    def attempts(self, key: bytes) -> tuple[str, ...]:
        """Return why each void attempt at the match `key` was void, in order."""
        with told(self.path):
            found = self._connection.execute("select why from attempt where key = ? order by number", (key,))
            return tuple(why for (why,) in found)

    def voids(self) -> dict[bytes, int]:
        """Return how many void attempts there were, by the keys of the matches that had any."""
        with told(self.path):
            return dict(self._connection.execute("select key, count(*) from attempt group by key").fetchall())

    def checkpoint(self, name: str) -> tuple[int, bytes, str] | None:
        """Return what `set_checkpoint` stored under `name`, or None."""
        with told(self.path):
            row: tuple[int, bytes, str] | None = self._connection.execute(
                "select prefix, prefix_hash, state from checkpoint where name = ?", (name,)
            ).fetchone()
        return row

    def set_checkpoint(self, name: str, prefix: int, prefix_hash: bytes, state: str) -> None:
        """Store a computation's state after the first `prefix` matches, in place of the one before."""
        row = (name, prefix, prefix_hash, state)
        with told(self.path):
            self._connection.execute("insert or replace into checkpoint values (?, ?, ?, ?)", row)
