"""Starts a program of a bot's: the one place that decides what a process is given and what is kept from it.

This is the level "limits": a session of its own, an exact environment, no inherited descriptors or signal settings,
death together with the thread that started it. It hides no files and no network.
"""

import errno
import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from runner.entrant.tree import be_bound_by_modes, die_with_parent, live_lock, register
from runner.protocol.faults import Fault

# Plenty for an interpreter with its libraries; a loop that opens files ends soon.
MAX_OPEN_FILES = 256

# Held back while a program is started: what we do on Ctrl-C must not happen in a child that is still a copy of us.
_HELD = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})

# What is left of errno once our own shortages are taken away: the program itself cannot be run.
_CANNOT_RUN = {
    errno.ENOENT: "no such file, or its interpreter is missing",
    errno.ENOTDIR: "no such file",
    errno.EACCES: "not executable (chmod +x)",
    errno.EPERM: "not permitted to run",
    errno.ENOEXEC: "exec format error: neither a program for this machine nor a script with a #! line",
    errno.ELOOP: "too many symbolic links",
    errno.EISDIR: "is a directory",
    errno.ETXTBSY: "the program is open for writing",
    errno.E2BIG: "the command is too long",
    errno.EINVAL: "exec format error",
}


@dataclass(frozen=True, slots=True)
class Launch:
    """What a bot's processes are started from.

    `command` is run in `directory`, the read-only snapshot. In `scratch` every process started gets a directory of its
    own as HOME and TMPDIR, so one launch starts any number of processes.
    """

    entrant: str
    command: tuple[str, ...]
    directory: Path
    scratch: Path


def environment(directory: Path, home: str) -> dict[str, str]:
    """Return all the environment that a bot gets."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": home,
        "LANG": "C.UTF-8",
        "TMPDIR": home,
        "PWD": str(directory),
    }


def make_scratch(parent: Path) -> str:
    """Make an empty directory in `parent` that nobody else may read and no other process gets; return its real path."""
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.path.realpath(tempfile.mkdtemp(prefix="", dir=parent))


def spawn(launch: Launch, home: str, stdin: int, stdout: int, stderr: int) -> subprocess.Popen[bytes] | Fault:
    """Start the program with these descriptors and register it; a `Fault` says why it cannot be run.

    Raises OSError where the lack is ours: processes, memory, descriptors, the directory.
    """
    directory = str(launch.directory)
    if not launch.directory.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "the snapshot is gone", directory)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
    try:
        with live_lock:
            popen = subprocess.Popen(
                launch.command,
                cwd=directory,
                env=environment(launch.directory, home),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                preexec_fn=_settle(os.getpid()),  # noqa: PLW1509 — death with the parent can be asked for in the child only
            )
            register(popen.pid, home)
    except OSError as error:
        if (reason := _CANNOT_RUN.get(error.errno or 0)) is None:
            raise
        return Fault("start", reason)
    except ValueError:
        return Fault("start", "the command has a NUL character")
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return popen


def ending(returncode: int) -> str:
    """Return how a process ended in words: "exit status 3", "SIGSEGV". `returncode` is as `subprocess` has it."""
    if returncode >= 0:
        return f"exit status {returncode}"
    try:
        return signal.Signals(-returncode).name
    except ValueError:
        return f"signal {-returncode}"


def _settle(parent: int) -> Callable[[], None]:
    """Return what the child does between fork and exec; everything it needs is looked up before the fork."""
    ignored = {number for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN}
    ours = (*_HELD, *(ignored - _HELD))
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    files = MAX_OPEN_FILES if hard_limit == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard_limit)

    def settle() -> None:
        die_with_parent(parent)
        be_bound_by_modes()  # or root's bots could leave each other word in a read-only snapshot
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    return settle
