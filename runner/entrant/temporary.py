"""Directories that last as long as a command. What a killed one has left, the next that needs one removes."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from runner.entrant.remove import discard_tree, remove_tree
from runner.entrant.tree import sweep_leftovers

PREFIX = "ohhell-"
MARK = ".ohhell-temporary"  # an empty file: nobody else's directory is ever taken for one of these


@dataclass(frozen=True, slots=True)
class Temporary:
    """A directory, its path free of links; `removed` are those that dead commands had left."""

    path: Path
    removed: tuple[Path, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say of it, in sentences."""
        return tuple(f"Removed {path}, which a killed ohhell had left." for path in self.removed)


@contextmanager
def temporary_directory() -> Iterator[Temporary]:
    """Yield a new directory that is gone after the block, and with it every process whose HOME is in it.

    Its owner holds a lock on it. Those whose owner is dead are removed first, as far as they can be.
    Raises OSError if there is no place for one.
    """
    parent = Path(os.path.realpath(tempfile.gettempdir()))
    removed = tuple(_remove_leftovers(parent))
    path, fd = _make(parent)
    try:
        yield Temporary(path, removed)
    finally:
        sweep_leftovers(path)
        try:
            remove_tree(path)
        finally:
            os.close(fd)


def _make(parent: Path) -> tuple[Path, int]:
    """Return a new directory and the descriptor that holds its lock."""
    path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    with ExitStack() as undo:
        undo.callback(discard_tree, path)
        fd = _open(path)
        undo.callback(os.close, fd)
        with suppress(OSError):  # where directories cannot be locked (NFS), none is seen to be left either
            fcntl.flock(fd, fcntl.LOCK_EX)
        (path / MARK).touch()  # only now: what is marked and not locked has been left
        undo.pop_all()
    return path, fd


def _remove_leftovers(parent: Path) -> Iterator[Path]:
    """Remove the directories whose owners are dead, and yield them."""
    for path in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if path.lstat().st_uid != os.geteuid() or not (path / MARK).is_file():
                continue
            fd = _open(path)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                sweep_leftovers(path)
                remove_tree(path)
            finally:
                os.close(fd)
            yield path


def _open(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
