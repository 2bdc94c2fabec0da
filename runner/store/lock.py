"""Keeps a second `ohhell run` out of a run's directory."""

import errno
import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from runner.store.errors import StoreError, told
from runner.text import escape

LOCK_FILE = "run.lock"
_NOT_HERE = frozenset({errno.EBADF, errno.EINVAL, errno.EISDIR, errno.ENOTSUP, errno.ENOLCK})


def _holder(fd: int) -> str:
    """Return " (process N)" for the holder of the lock on `fd` where the system tells it, else nothing."""
    status = os.fstat(fd)
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        rows = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return ""
    for row in rows:
        fields = row.split()
        if len(fields) > 5 and fields[1] == "FLOCK" and fields[5] == place and fields[4].isdigit():
            return f" (process {fields[4]})"
    return ""


class RunLock:
    """The right to play into a run's directory, held from `RunLock(directory)` to `release()` or the process's end.

    The lock is on the directory itself, so nothing is left behind. File systems that cannot lock a directory
    (NFS) get an empty file `run.lock` to lock instead. The directory is made if it is not there. Raises `StoreError`
    if another process holds it.
    """

    def __init__(self, directory: Path) -> None:
        with told(directory):
            directory.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._take(directory)
        except BaseException:
            os.close(self._fd)
            raise

    def _take(self, directory: Path) -> None:
        with told(directory):
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._refuse(directory)
            except OSError as problem:
                if problem.errno not in _NOT_HERE:
                    raise
            else:
                return
            os.close(self._fd)
            self._fd = os.open(directory / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._refuse(directory)

    def _refuse(self, directory: Path) -> None:
        raise StoreError(
            f"{escape(str(directory))} is being played into by another run{_holder(self._fd)}. "
            "Wait until it is done, stop it, or choose another directory with --out."
        )

    def release(self) -> None:
        """Give the lock up, also on behalf of child processes that inherited it."""
        if self._fd >= 0:
            fcntl.flock(self._fd, fcntl.LOCK_UN)
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
