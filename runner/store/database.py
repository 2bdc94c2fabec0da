"""Opens and closes `run.sqlite`: its version, its journal, its transactions."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from runner.store.errors import StoreError, told
from runner.store.schema import APPLICATION_ID, SCHEMA, VERSION
from runner.text import escape

FILE_NAME = "run.sqlite"


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    # Autocommit: transactions are begun by `transaction` alone.
    return sqlite3.connect(f"file://{quote(str(path.absolute()))}?mode={mode}", uri=True, isolation_level=None)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"pragma {name}").fetchone()[0])


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `StoreError` unless the file is a run's results in this version's form."""
    shown = escape(str(path))
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise StoreError(f"{shown} is not a run's results but some other database. Move it away or name another run.")
    version = _pragma(connection, "user_version")
    if version > VERSION:
        raise StoreError(
            f"{shown} was written by a newer version of the runner (form {version}; this one knows up to {VERSION}). "
            "Upgrade the runner to go on with it."
        )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Make what is written inside one step: all of it is stored, or after any exception nothing."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        # A full disk may have rolled back already.
        with suppress(sqlite3.Error):
            connection.execute("rollback")
        raise


def _is_empty(connection: sqlite3.Connection) -> bool:
    count: int = connection.execute("select count(*) from sqlite_master").fetchone()[0]
    return count == 0 and _pragma(connection, "application_id") == 0 and _pragma(connection, "user_version") == 0


def _create(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        if _is_empty(connection):
            for statement in SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
            connection.execute(f"pragma user_version = {VERSION}")


def _begin_journal(connection: sqlite3.Connection) -> None:
    """Use a write-ahead log, so that readers and the run do not wait for each other; where refused, the plain one."""
    try:
        if connection.execute("pragma journal_mode = wal").fetchone()[0] == "wal":
            # The mode may be granted and its shared memory not (network file systems): see whether a read works.
            connection.execute("select count(*) from run").fetchone()
            connection.execute("pragma synchronous = normal")
    except sqlite3.OperationalError:
        connection.execute("pragma journal_mode = delete")


def open_to_write(path: Path) -> sqlite3.Connection:
    """Return a connection that writes to the results at `path`, made if they are not there yet."""
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = _connect(path, "rwc")
        try:
            if _is_empty(connection):
                _create(connection)
            _check(connection, path)
            _begin_journal(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection that only reads; it never migrates and needs no right to write where the run is finished."""
    with told(path):
        if not path.is_file():
            raise StoreError(
                f"There is no run in {escape(str(path.parent))}: it has no {FILE_NAME}. Name the directory of a run."
            )
        connection = _connect(path, "ro")
        try:
            _check(connection, path)
            connection.execute("select count(*) from run").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection


def close_written(connection: sqlite3.Connection) -> None:
    """Close after writing, leaving one plain file unless a reader is at it right now (the next close does it then)."""
    try:
        connection.execute("pragma busy_timeout = 200")
        with suppress(sqlite3.OperationalError):
            connection.execute("pragma journal_mode = delete")
    finally:
        connection.close()
