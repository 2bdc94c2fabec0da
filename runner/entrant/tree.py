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
# How long processes that replace each other are chased, at most.
CHASE_NS = 500_000_000

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE = 1
_prctl: Callable[..., int] | None = getattr(ctypes.CDLL(None, use_errno=True), "prctl", None) if LINUX else None

# Bots that this process has started and not yet ended: their trees are not orphans.
_live: dict[int, bytes] = {}
live_lock = threading.Lock()  # held while a bot is started, so that it is not taken for an orphan


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
    return sorted(int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 — names are all that is wanted


def become_subreaper() -> None:
    """Make this process the parent of every orphan among its descendants (Linux)."""
    if _prctl is not None:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def be_bound_by_modes() -> None:
    """Have what this process executes be bound by the modes of files even as root, in writing at least (Linux)."""
    if _prctl is not None and os.geteuid() == 0:
        _prctl(_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, 0, 0, 0)


def die_with_parent(expected_parent: int) -> None:
    """Have this process killed when the thread that started it ends; at once if `expected_parent` is gone already."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != expected_parent:
        os.kill(os.getpid(), signal.SIGKILL)


def register(pid: int, home: str) -> None:
    """Note that bot `pid` is alive, with `home` as its scratch directory; the caller holds `live_lock`."""
    _live[pid] = _home_entry(home)


def forget(pid: int) -> None:
    """Note that bot `pid` has been ended."""
    with live_lock:
        _live.pop(pid, None)


def kill_tree(bot: int, home: str, kin: Mapping[int, int]) -> int:
    """End bot `bot` and every process that belongs to it; return how many there were besides the bot, dead ones too.

    `home` is its scratch directory; `kin` are processes seen to descend from it, with their start times. The bot itself
    must not have been reaped before: its number could be another's.
    """
    if not LINUX:
        _signal_group(bot)
        return 0
    entry = _home_entry(home)
    leader = read_stat(bot)
    since = 0 if leader is None else leader.started

    def belongs(pid: int, stat: ProcessStat) -> bool:
        if bot in (pid, stat.session) or kin.get(pid) == stat.started:
            return True
        return stat.started >= since and _is_foreign(stat) and _environ_has(pid, entry.__eq__)

    return len(_end_all(belongs) - {bot})


def sweep_orphans() -> int:
    """End and reap all that bots of this process have left behind as its children; return how many, dead ones too.

    What shares this process's session is not a bot's; what belongs to a bot that lives is left alone.
    """
    if not LINUX:
        return 0
    with live_lock:
        ours, homes = os.getpid(), frozenset(_live.values())
        return len(
            _end_all(
                lambda pid, stat: (
                    stat.parent == ours and _is_foreign(stat) and not _environ_has(pid, homes.__contains__)
                )
            )
        )


def sweep_leftovers(scratch_root: Path) -> int:
    """End the processes of a dead run, which have a directory under `scratch_root` as HOME; return how many."""
    if not LINUX:
        return 0
    prefix = _home_entry(os.path.realpath(scratch_root)) + b"/"
    return len(_end_all(lambda pid, _: _environ_has(pid, lambda entry: entry.startswith(prefix))))


def _home_entry(home: str) -> bytes:
    return b"HOME=" + os.fsencode(home)


def _environ_has(pid: int, wanted: Callable[[bytes], bool]) -> bool:
    try:
        if os.stat(f"/proc/{pid}").st_uid != os.geteuid() or pid == os.getpid():  # noqa: PTH116 — as in read_stat
            return False
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123 — as in read_stat
            return any(map(wanted, file.read().split(b"\0")))
    except OSError:
        return False


def _is_foreign(stat: ProcessStat) -> bool:
    """Say whether a process is neither the kernel's, nor of this process's session, nor of a live bot's."""
    return stat.session not in (0, os.getsid(0)) and stat.session not in _live


def _end_all(belongs: Callable[[int, ProcessStat], bool]) -> set[int]:
    """Stop, then kill, then reap all that `belongs` and its descendants; return them, dead ones too.

    They are stopped first, and looked for until nothing more is born: a process that forks while it is being looked for
    could otherwise stay ahead for ever. Each look takes in only what is new, so it is faster than a fork and an exit.
    """
    table: dict[int, ProcessStat] = {}
    found: set[int] = set()
    stopped: set[int] = set()
    deadline_ns = time.monotonic_ns() + CHASE_NS
    seen: set[int] = set()
    while True:
        born = [pid for pid in pids() if pid not in seen]
        restless = False
        for pid in born:
            stat = read_stat(pid)
            if stat is not None:
                table[pid] = stat
                if belongs(pid, stat):
                    found.add(pid)
            # Whoever died before it could be known may have left a child, which this look may have missed.
            restless |= pid not in _live and (stat is None or _is_foreign(stat))
        seen.update(born)
        found |= _descendants(table, found)
        for pid in found - stopped:
            if table[pid].state not in "ZX":
                _signal(pid, signal.SIGSTOP)
        restless |= not found <= stopped
        stopped |= found
        if not restless or time.monotonic_ns() > deadline_ns:
            break
    for pid in stopped:
        _signal(pid, signal.SIGKILL)
    _wait_gone(stopped)
    return stopped


def _descendants(table: Mapping[int, ProcessStat], roots: set[int]) -> set[int]:
    """Return what descends from `roots`, without this process and process 1."""
    found = roots
    while more := {pid for pid, stat in table.items() if stat.parent in found} - found - {1, os.getpid()}:
        found = found | more
    return found - roots


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
