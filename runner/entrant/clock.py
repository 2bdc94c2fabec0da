"""Charged time: what a decision costs a bot, whatever else the machine does.

Charged is wall time less the time that the bot waited for a CPU (`/proc/PID/schedstat`), and never less than the CPU
time of its whole tree; both count from a baseline that is read when the first short slice of a decision is over. Where
there is no /proc (macOS) it is wall time; `CLOCK_NAME` says which.
"""

import os
import time
from dataclasses import dataclass, field

from runner.entrant.tree import LINUX, ProcessStat, parse_stat, read_stat

CLOCK_NAME = "wall time less run-queue wait" if LINUX else "wall time"

# Off-turn CPU that nobody is charged for: an interpreter's collector, a runtime's compiler threads.
OFF_TURN_FREE_NS = 5_000_000
# /proc/PID/stat rounds user and system time of dead children down, each to a tick.
_ROUNDING_NS = 2 * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Reading:
    """Clocks of a tree: exact CPU time of what lives, ticks of the dead, run-queue wait by thread."""

    cpu_ns: int = 0
    reaped_ns: int = 0
    wait_ns: dict[int, int] = field(default_factory=dict)

    def spent_since(self, base: "Reading") -> int:
        """Return a lower bound of the CPU time used since `base`, in ns."""
        reaped = max(0, self.reaped_ns - base.reaped_ns - _ROUNDING_NS)
        return max(0, self.cpu_ns - base.cpu_ns + reaped)

    def waited_since(self, base: "Reading") -> int:
        """Return the longest run-queue wait of any thread since `base`, in ns."""
        return max((now - base.wait_ns.get(thread, 0) for thread, now in self.wait_ns.items()), default=0)


class TreeClock:
    """Reads the clocks of one bot and its descendants.

    `kin` has the descendants seen so far that are there, with their start times.
    `before` is the listing of /proc from before the bot started: what stands there cannot descend from it. Later
    readings look at new processes only, so one costs about 60 us and not a walk over the whole machine.
    """

    def __init__(self, pid: int, before: frozenset[str]) -> None:
        self.kin: dict[int, int] = {}
        self._pid = pid
        self._seen: frozenset[str] = before
        self._stat = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC) if LINUX else -1
        self._schedstat = _open_schedstat(pid) if LINUX else -1

    def close(self) -> None:
        """Close what is kept open."""
        for fd in (self._stat, self._schedstat):
            if fd >= 0:
                os.close(fd)
        self._stat = self._schedstat = -1

    def stat(self) -> ProcessStat | None:
        """Return the state of the bot itself, None once it has been reaped."""
        try:
            return parse_stat(os.pread(self._stat, 4096, 0))
        except (OSError, ValueError):
            return None

    def read(self) -> Reading:
        """Return the clocks as they stand; zeros for what cannot be read."""
        stat = self.stat()
        if stat is None:
            return Reading()
        self._look()
        cpu_ns = _cpu_ns(self._pid)
        reaped_ns = stat.reaped_ns
        if stat.threads == 1 and not self.kin:
            return Reading(cpu_ns, reaped_ns, {self._pid: _wait_ns(self._own_schedstat())})
        wait_ns = _waits(self._pid)
        for pid in self.kin:
            if (member := read_stat(pid)) is not None:
                cpu_ns += _cpu_ns(pid)
                reaped_ns += member.reaped_ns
                wait_ns |= _waits(pid)
        return Reading(cpu_ns, reaped_ns, wait_ns)

    def _own_schedstat(self) -> bytes:
        return os.pread(self._schedstat, 64, 0) if self._schedstat >= 0 else b""

    def _look(self) -> None:
        names = frozenset(os.listdir("/proc"))  # noqa: PTH208 — names are all that is wanted
        if new := names - self._seen:
            for pid in sorted(int(name) for name in new if name.isdigit()):
                stat = None if pid == self._pid else read_stat(pid)
                if stat is not None and (self._pid in (stat.parent, stat.session) or stat.parent in self.kin):
                    self.kin[pid] = stat.started
        for pid in [pid for pid in self.kin if str(pid) not in names]:
            del self.kin[pid]
        self._seen = names


def _open_schedstat(pid: int) -> int:
    """Return a descriptor of a bot's scheduler statistics, -1 on a kernel without them: then no wait is known."""
    try:
        return os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return -1


def _cpu_ns(pid: int) -> int:
    try:
        # The clock id of another process's CPU clock: see clock_getcpuclockid(3), which Python has not.
        return time.clock_gettime_ns(((~pid) << 3) | 2)
    except OSError:
        return 0


def _wait_ns(schedstat: bytes) -> int:
    fields = schedstat.split()
    return int(fields[1]) if len(fields) > 1 else 0


def _waits(pid: int) -> dict[int, int]:
    waits = {}
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 — as in _look
            with open(f"/proc/{pid}/task/{thread}/schedstat", "rb", buffering=0) as file:  # noqa: PTH123 — three times as fast as Path
                waits[int(thread)] = _wait_ns(file.read(64))
    except OSError:
        return waits
    return waits


class Meter:
    """Adds up one bot's charged time.

    A decision that ends within its slice costs nothing here but two additions by the caller, to `turn_ns` and
    `turns`. One that does not calls `begin` when the slice is over, `charged_ns` as often as it likes, and `end`.
    """

    def __init__(self, clock: TreeClock) -> None:
        self.turn_ns = 0
        self.turns = 0
        self.begun = False
        self._clock = clock
        self._last: Reading | None = None
        self._base = Reading()
        self._extra_ns = 0
        self._slice_wait_ns = 0
        self._idle_ns = 0

    def begin(self, wall_ns: int) -> None:
        """Take the baseline of a decision that has lasted `wall_ns`.

        CPU used since the last reading, less the decisions answered since and this one's slice, was used off-turn;
        its mean per gap between decisions, past 5 ms, is charged to this decision.
        """
        self.begun = True
        self._base = base = self._clock.read()
        self._extra_ns = self._slice_wait_ns = 0
        if self._last is None:
            return
        idle_ns = max(0, base.spent_since(self._last) - self.turn_ns - wall_ns)
        self._idle_ns += idle_ns
        self._extra_ns = max(0, idle_ns // (self.turns + 1) - OFF_TURN_FREE_NS)
        if self.turns == 0:
            # The reading at the end of the decision before is an exact baseline for this one's slice, too.
            self._slice_wait_ns = min(wall_ns, base.waited_since(self._last))

    def charged_ns(self, wall_ns: int) -> int:
        """Return what the decision has been charged after `wall_ns`, in ns."""
        return self._charge(self._clock.read(), wall_ns, wall_ns)

    def end(self, wall_ns: int, cap_ns: int) -> int:
        """Return what the decision is charged in all, in ns; its wall part counts up to `cap_ns`."""
        self._last = final = self._clock.read()
        self.turn_ns = self.turns = 0
        self.begun = False
        return self._charge(final, wall_ns, cap_ns)

    def off_turn_ns(self) -> int:
        """Return the CPU time used off-turn so far, in ns, as far as it was seen; reads the clocks."""
        if self._last is None:
            return self._idle_ns
        return self._idle_ns + max(0, self._clock.read().spent_since(self._last) - self.turn_ns)

    def _charge(self, now: Reading, wall_ns: int, cap_ns: int) -> int:
        spent_ns = self._extra_ns + now.spent_since(self._base)
        waited_ns = self._slice_wait_ns + now.waited_since(self._base)
        return max(spent_ns, min(self._extra_ns + wall_ns - waited_ns, cap_ns))
