"""One bot process and the lines that go in and out of it: bytes only, what they mean is decided elsewhere.

A decision is `send` and then `receive`, which share one start and one deadline. A reply that comes within a short slice
takes one write, one poll and one read, and no clock but the monotonic one. After the slice the bot's stderr, its death
and its charged time are watched too. Nothing a bot does raises: what goes wrong is returned as a `Fault`.
"""

import os
import select
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Self

from runner.entrant import tree
from runner.entrant.clock import Meter, TreeClock
from runner.entrant.launch import Launch, ending, make_scratch, spawn
from runner.entrant.remove import discard_tree
from runner.entrant.stderr import StderrTail
from runner.protocol.faults import Fault
from runner.protocol.lines import MAX_LINE_BYTES
from runner.text import escape, plural

# An ordinary reply has 30 bytes, one with a long note under 300; what is no larger is cheap to allocate.
_FIRST_READ_BYTES = 448
_SLICE_MS = 5
# How long a bot whose stdout has ended is given to be seen dead: descriptors close a little before the process ends.
_DYING_MS = 50
# The clocks of a tree are looked at this often at least: forked children may use them up faster than wall time passes.
_LOOK_NS = 100_000_000
# A longer time between two looks at the clock, which are at most `_LOOK_NS` apart while we run, is a stall of ours
# (stopped, the machine suspended), with the bot most often: nobody's time.
_STALL_NS = 500_000_000
_MS = 1_000_000
# The hot path's calls, looked up once.
_now_ns, _write, _read = time.monotonic_ns, os.write, os.read


@dataclass(frozen=True, slots=True)
class Limit:
    """Time for one decision: `move_ms` charged, `move_wall_ms` of wall time whatever is charged."""

    move_ms: int
    move_wall_ms: int
    move_ns: int = field(init=False, repr=False)
    wall_ns: int = field(init=False, repr=False)
    slice_ms: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "move_ns", self.move_ms * _MS)
        object.__setattr__(self, "wall_ns", max(self.move_ms, self.move_wall_ms) * _MS)
        object.__setattr__(self, "slice_ms", min(_SLICE_MS, self.move_ms / 4))


class BotProcess:
    """A started bot. `last_wall_us` and `last_charged_us` are what the last `receive` took, faults included."""

    def __init__(
        self,
        launch: Launch,
        popen: "subprocess.Popen[bytes]",
        home: str,
        fds: tuple[int, int, int],
        listing: frozenset[str],
    ) -> None:
        self.launch = launch
        self.last_wall_us = 0
        self.last_charged_us = 0
        self._home = home
        self._popen = popen
        self._stdin, self._stdout, stderr = fds
        for fd in fds:
            os.set_blocking(fd, False)
        self._stderr = StderrTail(stderr)
        self._pidfd = os.pidfd_open(popen.pid) if tree.LINUX else -1
        self._clock = TreeClock(popen.pid, listing)
        self._meter = Meter(self._clock)
        quick = select.poll()
        quick.register(self._stdout, select.POLLIN)
        self._poll = quick.poll
        self._began_ns = self._looked_ns = time.monotonic_ns()
        self._buffer = b""
        self._slow = False  # the slice of this decision is over, or something has been read already
        self._deaf = False  # the bot has closed its stdin
        self._ended: str | None = None

    @classmethod
    def start(cls, launch: Launch) -> Self | Fault:
        """Start a bot; a `Fault` of kind `start` if its program cannot be run.

        Raises OSError where what is lacking is ours (processes, memory, descriptors, a directory of ours).
        """
        with ExitStack() as undo:
            home = make_scratch(launch.scratch)
            undo.callback(discard_tree, home)
            listing = frozenset(os.listdir("/proc")) if tree.LINUX else frozenset()  # noqa: PTH208 — names are all that is wanted
            with ExitStack() as theirs:
                ends = []
                for bot_reads in (True, False, False):
                    reader, writer = os.pipe()
                    theirs.callback(os.close, reader if bot_reads else writer)
                    undo.callback(os.close, writer if bot_reads else reader)
                    ends += [(writer, reader) if bot_reads else (reader, writer)]
                popen = spawn(launch, home, *(bots for _, bots in ends))
            if isinstance(popen, Fault):
                return popen
            undo.callback(_abandon, popen, home)
            process = cls(launch, popen, home, (ends[0][0], ends[1][0], ends[2][0]), listing)
            undo.pop_all()
        return process

    @property
    def pid(self) -> int:
        """The process id, for a person and for tests."""
        return self._popen.pid

    # -- a decision -------------------------------------------------------------------------------------------------

    def send(self, data: bytes | bytearray, limit: Limit) -> bytes | Fault | None:
        """Begin a decision and write `data` (whole lines) to the bot.

        None: `receive` is due. A decision that ends while there is still more to write returns its outcome here.
        """
        self._began_ns = self._looked_ns = _now_ns()
        try:
            written = _write(self._stdin, data)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            # Not a verdict: a last reply may be in the pipe, and `receive` sees a death for itself.
            self._deaf = True
            return None
        if written == len(data):
            return None
        return self._wait(limit, bytes(data[written:]))

    def receive(self, limit: Limit) -> bytes | Fault:
        """Return the bot's next line without its LF or CR LF, or what it did instead.

        If it has written more behind the line, all that was read is returned, its line feeds included.
        """
        if not self._slow and self._poll(limit.slice_ms):
            chunk = _read(self._stdout, _FIRST_READ_BYTES)
            wall_ns = _now_ns() - self._began_ns
            if 0 <= chunk.find(b"\n") == len(chunk) - 1 and wall_ns < _STALL_NS:
                meter = self._meter
                meter.turn_ns += wall_ns
                meter.turns += 1
                self.last_wall_us = self.last_charged_us = wall_ns // 1000
                return chunk[:-2] if chunk.endswith(b"\r\n") else chunk[:-1]
            if not chunk:
                return self._settled(limit, self._verdict_at_end())
            self._buffer = chunk
        outcome = self._wait(limit, b"")
        assert outcome is not None  # only a wait that has something to write ends without a line
        return outcome

    def post(self, data: bytes) -> None:
        """Write `data` if the pipe takes it at once; a courtesy to which no reply is due."""
        try:
            os.write(self._stdin, data)
        except OSError:
            return

    def check_quiet(self) -> Fault | None:
        """Return a fault of kind `unasked` if the bot has written anything that it was not asked for. Never waits.

        Takes in what is on stderr too, or a bot that logs would fill that pipe and have to wait in some decision.
        """
        self._stderr.drain()
        stray = self._read_now()
        if not stray:
            return None
        detail = f"{plural(len(stray), 'byte')} after the last reply, starting `{escape(stray[:40])}`"
        return Fault("unasked", detail, stray)

    def off_turn_us(self) -> int:
        """Return the CPU time that the bot's tree has used off-turn so far, in us, as far as it was seen."""
        return self._meter.off_turn_ns() // 1000

    # -- stderr -----------------------------------------------------------------------------------------------------

    def stderr_tail(self) -> bytes:
        """Return the last 64 KiB that the bot has written to stderr, as far as drained."""
        return self._stderr.tail()

    @property
    def stderr_dropped(self) -> int:
        """How many bytes of stderr were dropped before the tail."""
        return self._stderr.dropped

    # -- the slow way -----------------------------------------------------------------------------------------------

    def _wait(self, limit: Limit, rest: bytes) -> bytes | Fault | None:
        """Write `rest`, or without any read a line, watching everything. None: `rest` has been written."""
        writing = bool(rest)
        self._slow = True
        wall_ns = self._look()
        if not self._meter.begun:
            self._meter.begin(wall_ns)
        look_ns = min(limit.move_ns, _LOOK_NS)  # the wall time at which the clocks are due
        while True:
            outcome = self._line()
            # One line may be the reply to what it has read so far; with more behind it, no writing can mend that.
            if isinstance(outcome, Fault) or (outcome is not None and (not writing or b"\n" in outcome)):
                return self._settled(limit, outcome)
            if writing and not rest:
                return None
            wall_ns = self._look()
            if wall_ns >= look_ns:
                left_ns = min(limit.move_ns - self._meter.charged_ns(wall_ns), limit.wall_ns - wall_ns)
                if left_ns <= 0:
                    return self._settled(limit, self._verdict_at_deadline(limit, rest))
                look_ns = wall_ns + max(min(left_ns, _LOOK_NS), _MS)
            ready = self._poll_all(max(look_ns - wall_ns, 0), writing, reading=outcome is None)
            if self._stdin in ready:
                rest = self._write_some(rest)
            if self._stderr.fd in ready:
                self._stderr.drain()
            if self._stdout in ready:
                chunk = os.read(self._stdout, MAX_LINE_BYTES - len(self._buffer))
                if not chunk:
                    return self._settled(limit, self._verdict_at_end())
                self._buffer += chunk
            elif self._dead(ready) and not self._buffer.endswith(b"\n"):
                self._buffer += self._read_now()
                outcome = self._line()
                return self._settled(limit, self._death() if outcome is None else outcome)

    def _look(self) -> int:
        """Return how long the decision has lasted, in ns; a stall since the last look moves its start on by as much."""
        now_ns = time.monotonic_ns()
        if now_ns - self._looked_ns > _STALL_NS:
            self._began_ns += now_ns - self._looked_ns
        self._looked_ns = now_ns
        return now_ns - self._began_ns

    def _poll_all(self, timeout_ns: int, writing: bool, reading: bool) -> dict[int, int]:
        """Return what is ready, with its events, after `timeout_ns` at the latest."""
        poll = select.poll()
        if reading:
            poll.register(self._stdout, select.POLLIN)
        if self._stderr.fd >= 0:
            poll.register(self._stderr.fd, select.POLLIN)
        if writing:
            poll.register(self._stdin, select.POLLOUT)
        if self._pidfd >= 0:
            poll.register(self._pidfd, select.POLLIN)
        else:
            timeout_ns = min(timeout_ns, 20 * _MS)
        return dict(poll.poll(timeout_ns / _MS))

    def _line(self) -> bytes | Fault | None:
        """Return the line in the buffer as `receive` does, a fault if it is too long, None for a line's beginning."""
        end = self._buffer.find(b"\n")
        if end < 0:
            if len(self._buffer) < MAX_LINE_BYTES:
                return None
            self.kill()
            return Fault("too-long", f"{MAX_LINE_BYTES:,} bytes without a line feed", self._buffer)
        if end + 1 < len(self._buffer):
            return self._buffer
        return self._buffer[: end - 1] if self._buffer[:end].endswith(b"\r") else self._buffer[:end]

    def _settled(self, limit: Limit, outcome: bytes | Fault) -> bytes | Fault:
        """End the decision: take the time; a line counts only if its CPU time was within the limit."""
        wall_ns = self._look()
        charged_ns = self._meter.end(wall_ns, limit.move_ns) if self._meter.begun else wall_ns
        self.last_wall_us = wall_ns // 1000
        self.last_charged_us = charged_ns // 1000
        self._buffer = b""
        self._slow = False
        if isinstance(outcome, bytes) and charged_ns > limit.move_ns:
            return Fault("timeout", f"used {charged_ns // _MS:,} ms of CPU, {limit.move_ms:,} ms allowed", outcome)
        return outcome

    def _write_some(self, rest: bytes) -> bytes:
        try:
            return rest[os.write(self._stdin, rest) :]
        except BlockingIOError:
            return rest
        except BrokenPipeError:
            self._deaf = True
            return b""

    def _read_now(self) -> bytes:
        """Return what is in the pipe, at most a line's length; nothing at its end or when it is empty."""
        try:
            return os.read(self._stdout, MAX_LINE_BYTES - len(self._buffer))
        except BlockingIOError:
            return b""

    # -- verdicts ---------------------------------------------------------------------------------------------------

    def _verdict_at_deadline(self, limit: Limit, rest: bytes) -> bytes | Fault:
        """Say how the time ran out; a reply that is in the pipe by now counts."""
        if not self._buffer.endswith(b"\n"):
            self._buffer += self._read_now()
        if not rest and (outcome := self._line()) is not None:
            return outcome
        stat = self._clock.stat()
        if stat is not None and stat.state in "Tt":
            return Fault("timeout", f"process is stopped ({stat.state})", self._buffer)
        allowed = f", {limit.move_ms:,} ms allowed"
        if self._buffer and not rest:
            hint = "; it ends in CR, but a line ends in a line feed" if self._buffer.endswith(b"\r") else ""
            return Fault("timeout", f"partial line of {plural(len(self._buffer), 'byte')}{allowed}{hint}", self._buffer)
        if rest:
            return Fault(
                "timeout", f"the request was not read: {plural(len(rest), 'byte')} left{allowed}", self._buffer
            )
        return Fault("timeout", f"nothing received{allowed}" + ("; the bot has closed its stdin" if self._deaf else ""))

    def _verdict_at_end(self) -> Fault:
        """Say what the end of stdout means: the bot is dead or dying, or it has closed it and lives on."""
        if not self._wait_dead(_DYING_MS):
            return Fault("died", "closed stdout" + self._partial(), self._buffer)
        return self._death()

    def _death(self) -> Fault:
        return Fault("died", (self._status() or "ended") + self._partial(), self._buffer)

    def _partial(self) -> str:
        return f" after a partial line of {plural(len(self._buffer), 'byte')}" if self._buffer else ""

    # -- the end ----------------------------------------------------------------------------------------------------

    def kill(self) -> None:
        """Kill the whole tree at once; `stop` is still due."""
        if tree.kill_tree(self.pid, self._home, self._clock.kin):
            tree.sweep_orphans()  # a bot that starts others may have left some that carry no mark of it

    def close_stdin(self) -> None:
        """Give the bot end of file; `stop` is still due."""
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1

    def stop(self, grace_ms: int) -> str:
        """Close the bot's stdin, wait `grace_ms` for it to end, kill all that is left of its tree, remove its scratch.

        Returns how it ended: "exit status 3", "SIGSEGV". Calling it again returns the same.
        """
        if self._ended is not None:
            return self._ended
        self.close_stdin()
        self._wait_dead(grace_ms)
        self.kill()
        self._wait_dead(tree.REAP_NS // _MS)
        self._ended = self._status() or "not ended"
        self._popen.poll()
        tree.forget(self.pid)
        self._stderr.drain()
        self._stderr.close()
        self._clock.close()
        _close([self._stdout, *([self._pidfd] if self._pidfd >= 0 else [])])
        discard_tree(self._home)
        return self._ended

    def _dead(self, ready: dict[int, int]) -> bool:
        return self._pidfd in ready if self._pidfd >= 0 else self._popen.poll() is not None

    def _wait_dead(self, timeout_ms: int) -> bool:
        """Wait for the bot to end, keeping stderr from filling up meanwhile; say whether it has."""
        deadline_ns = time.monotonic_ns() + timeout_ms * _MS
        while True:
            left_ns = deadline_ns - time.monotonic_ns()
            ready = self._poll_all(max(left_ns, 0), writing=False, reading=False)
            if self._dead(ready):
                return True
            if self._stderr.fd in ready:
                self._stderr.drain()
            if left_ns <= 0:
                return False

    def _status(self) -> str | None:
        """Return how the bot ended in words, None while it lives; on Linux it is left unreaped, so its number stays."""
        if tree.LINUX and self._popen.returncode is None:
            info = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if info is None:
                return None
            code = info.si_status if info.si_code == os.CLD_EXITED else -info.si_status
        elif (polled := self._popen.poll()) is not None:
            code = polled
        else:
            return None
        return ending(code)


def _abandon(popen: "subprocess.Popen[bytes]", home: str) -> None:
    """End a bot that was started but cannot be watched."""
    tree.kill_tree(popen.pid, home, {})
    popen.wait()
    tree.forget(popen.pid)


def _close(fds: list[int]) -> None:
    for fd in fds:
        os.close(fd)
