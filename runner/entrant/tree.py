"""Finds and ends all processes that a bot has started, however they tried to get away.

A process belongs to a bot when it descends from it, is in its session, or is an orphan that carries the bot's scratch
directory as HOME. A worker is the subreaper of its bots (`become_subreaper`), so orphans stay its children.
Without /proc (macOS) only the bot's process group is known. Processes are named by number alone, never by name.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

LINUX = sys.platform == "linux"
# A killed process is gone in a fraction of this; only one that hangs in the kernel is not.
REAP_NS = 2_000_000_000

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_prctl: Callable[..., int] | None = getattr(ctypes.CDLL(None, use_errno=True), "prctl", None) if LINUX else None

# Bots that this process has started and not yet ended: their trees are not orphans.
_live: dict[int, bytes] = {}
_live_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """A line of /proc/PID/stat. `reaped_ns` is the CPU time of children waited for, to a whole clock tick each."""

    state: str
    parent: int
    session: int
    reaped_ns: int
    threads: int
    started: int


_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def parse_stat(line: bytes) -> ProcessStat:
    """Return what /proc/PID/stat says; the command's name, which may hold anything, ends at the last bracket."""
    fields = line[line.rindex(b")") + 2 :].split()
    reaped = (int(fields[13]) + int(fields[14])) * _TICK_NS
    return ProcessStat(fields[0].decode(), int(fields[1]), int(fields[3]), reaped, int(fields[17]), int(fields[19]))


def read_stat(pid: int) -> ProcessStat | None:
    """Return the state of process `pid`, or None if there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 — three times as fast as Path
            return parse_stat(file.read(4096))
    except (OSError, ValueError):
        return None


def pids() -> list[int]:
    """Return the numbers of all processes, rising."""
    return sorted(int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208


def become_subreaper() -> None:
    """Make this process the parent of every orphan among its descendants (Linux)."""
    if _prctl is not None:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent(expected_parent: int) -> None:
    """Have this process killed when the thread that started it ends; at once if `expected_parent` is gone already."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != expected_parent:
        os.kill(os.getpid(), signal.SIGKILL)


def register(pid: int, home: str) -> None:
    """Note that bot `pid` is alive, with `home` as its scratch directory."""
    with _live_lock:
        _live[pid] = _home_entry(home)


def forget(pid: int) -> None:
    """Note that bot `pid` has been ended."""
    with _live_lock:
        _live.pop(pid, None)


def kill_tree(bot: int, home: str, kin: Mapping[int, int]) -> int:
    """End bot `bot` and every process that belongs to it; return how many there were.

    `home` is its scratch directory; `kin` are processes seen to descend from it, with their start times. The bot itself
    must not have been reaped before: its number could be another's.
    """
    if not LINUX:
        _signal_group(bot)
        return 1
    entry = _home_entry(home)
    return _end_all(lambda table: _members(table, bot, entry, kin))


def sweep_orphans() -> int:
    """End all that bots of this process have left behind as its children; return how many there were.

    What shares this process's session is not a bot's; what belongs to a bot that lives is left alone.
    """
    if not LINUX:
        return 0
    with _live_lock:
        live = dict(_live)
    return _end_all(lambda table: _orphans(table, live))


def sweep_leftovers(scratch_root: Path) -> int:
    """End the processes of a dead run, which have a directory under `scratch_root` as HOME; return how many."""
    if not LINUX:
        return 0
    prefix = _home_entry(os.path.realpath(scratch_root)) + b"/"
    return _end_all(lambda table: {pid for pid in table if _environ_has(pid, lambda e: e.startswith(prefix))})


def _home_entry(home: str) -> bytes:
    return b"HOME=" + os.fsencode(home)


def _environ_has(pid: int, wanted: Callable[[bytes], bool]) -> bool:
    try:
        if Path(f"/proc/{pid}").stat().st_uid != os.geteuid() or pid == os.getpid():
            return False
        return any(map(wanted, Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")))
    except OSError:
        return False


Table = dict[int, ProcessStat]


def _table() -> Table:
    return {pid: stat for pid in pids() if (stat := read_stat(pid)) is not None}


def _with_descendants(table: Table, roots: set[int]) -> set[int]:
    found = set(roots)
    while more := {pid for pid, stat in table.items() if stat.parent in found and pid not in found}:
        found |= more
    return found


def _members(table: Table, bot: int, entry: bytes, kin: Mapping[int, int]) -> set[int]:
    roots = {pid for pid, stat in table.items() if bot in (pid, stat.session) or kin.get(pid) == stat.started}
    found = _with_descendants(table, roots)
    # An orphan's parent is this process or, where nobody is the subreaper, process 1.
    orphans = {pid for pid, stat in table.items() if stat.parent in (1, os.getpid()) and pid not in found}
    return _with_descendants(table, found | {pid for pid in orphans if _environ_has(pid, entry.__eq__)})


def _orphans(table: Table, live: dict[int, bytes]) -> set[int]:
    ours, session = os.getpid(), os.getsid(0)
    homes = frozenset(live.values())
    roots = {
        pid
        for pid, stat in table.items()
        if stat.parent == ours and stat.session != session and pid not in live and stat.session not in live
        if not _environ_has(pid, homes.__contains__)
    }
    return _with_descendants(table, roots)


def _end_all(members: Callable[[Table], set[int]]) -> int:
    """Stop, then kill, then reap what `members` names, looking again until nothing new is found; return how many."""
    spared = {1, os.getpid()}
    stopped: set[int] = set()
    # Stopped first: a process that forks while it is being looked for could otherwise stay ahead for ever.
    while True:
        table = _table()
        found = members(table) - spared
        new = {pid for pid in found if table[pid].state not in "ZX"} - stopped
        for pid in new:
            _signal(pid, signal.SIGSTOP)
        stopped |= new
        if not new:
            break
    for pid in stopped:
        _signal(pid, signal.SIGKILL)
    _wait_gone(found | stopped)
    return len(stopped)


def _wait_gone(killed: set[int]) -> None:
    """Wait until all of `killed` have ended and reap those that are orphans; a bot's status is left to be read."""
    ours = os.getpid()
    deadline_ns = time.monotonic_ns() + REAP_NS
    left = set(killed)
    while left and time.monotonic_ns() < deadline_ns:
        for pid in tuple(left):
            stat = read_stat(pid)
            if stat is not None and stat.state in "ZX" and stat.parent == ours and pid not in _live:
                _reap(pid)
            elif stat is None or (stat.state in "ZX" and stat.parent not in killed):
                left.discard(pid)  # gone, or for another to reap: a bot for its Popen, an orphan for process 1
            # else it is dying, or dead with a parent that is dying: it will be ours in a moment
        if left:
            time.sleep(0.0005)


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _signal_group(bot: int) -> None:
    try:
        os.killpg(bot, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
