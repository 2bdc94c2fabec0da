"""What can go wrong with a run's files, told in sentences a person can act on."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runner.errors import OhHellError
from runner.text import escape


class StoreError(OhHellError):
    """The run's directory or its results cannot be used as asked."""


class StoreFullError(StoreError):
    """Nothing more can be written, most often because the disk is full; what was stored before is kept whole."""

    exit_code = 3


# A quota and a file size limit reach SQLite as a failed write rather than as a full disk.
_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE})
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def _full(path: Path, reason: str) -> StoreFullError:
    return StoreFullError(
        f"Could not write to {escape(str(path))} ({reason}); all that was stored before is kept. "
        "Make room and run again to go on from there."
    )


_SENTENCES = {
    sqlite3.SQLITE_NOTADB: "is not a run's results ({reason}). Move it away or name another run.",
    sqlite3.SQLITE_CORRUPT: "is damaged ({reason}). Restore a copy of it, or move it away and run again.",
    sqlite3.SQLITE_READONLY: "cannot be written to ({reason}). Copy the run to a place where you may write.",
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened ({reason}). Check the permissions of the file and its directory; a run that was "
        "interrupted can be read only where its directory can be written to."
    ),
    sqlite3.SQLITE_BUSY: "is in use by another program ({reason}). Wait until that is done and try again.",
}
_OTHERWISE = "cannot be used ({reason}). Check the disk, or restore a copy of the file."


def _told(path: Path, problem: sqlite3.Error) -> StoreError:
    reason = escape(str(problem))
    code = getattr(problem, "sqlite_errorcode", 0)  # absent where the sqlite3 module itself complains
    if code in _FULL:
        return _full(path, reason)
    sentence = _SENTENCES.get(code & 0xFF, _OTHERWISE)  # the low byte is the kind, the rest its variant
    return StoreError(f"{escape(str(path))} {sentence.format(reason=reason)}")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and the file system about the results at `path` into `StoreError`s."""
    try:
        yield
    except sqlite3.Error as problem:
        raise _told(path, problem) from problem
    except UnicodeDecodeError as problem:  # a damaged schema, which SQLite passes on
        sentence = _SENTENCES[sqlite3.SQLITE_CORRUPT].format(reason=escape(str(problem)))
        raise StoreError(f"{escape(str(path))} {sentence}") from problem
    except OSError as problem:
        reason = escape(problem.strerror or str(problem))
        if problem.errno in _NO_SPACE:
            raise _full(path, reason) from problem
        raise StoreError(
            f"{escape(str(path))} cannot be used ({reason}). Check the path and its permissions, or name another place."
        ) from problem


@contextmanager
def sound(path: Path) -> Iterator[None]:
    """Turn whatever comes of results at `path` that make no sense into `StoreError`s: SQLite sees not all damage."""
    try:
        yield
    except (OhHellError, OSError, MemoryError, ImportError):
        raise
    except Exception as problem:
        reason = escape(f"{type(problem).__name__}: {problem}", 200)
        raise StoreError(
            f"{escape(str(path))} holds what makes no sense ({reason}). It is damaged: restore a copy of it, or move "
            "it away and run again. If it is not, this is a bug of the runner: please report it, with the output of "
            "OHHELL_DEBUG=1."
        ) from problem
