import errno
import os
import resource
import signal
import time
from pathlib import Path

import pytest

from runner.entrant.launch import Launch
from runner.entrant.process import BotProcess, Limit
from runner.protocol.faults import Fault
from runner.protocol.lines import MAX_LINE_BYTES
from tests.entrant.conftest import ENOUGH, Start, alive, wait_until

REQUEST = b'{"type":"request"}\n'
SHORT = Limit(300, 1_000)


def ask(bot: BotProcess, limit: Limit = ENOUGH, request: bytes = REQUEST) -> bytes | Fault:
    fault = bot.send(request, limit)
    return fault if fault is not None else bot.receive(limit)


def test_a_line_comes_back_without_its_line_feed(start: Start) -> None:
    """Replies come one a request, in order."""
    bot = start("honest")
    assert [ask(bot) for _ in range(3)] == [b"ok 1", b"ok 2", b"ok 3"]
    assert bot.stop(5_000) == "exit status 0"
    assert bot.stop(5_000) == "exit status 0"


def test_cr_before_the_line_feed_is_dropped(start: Start) -> None:
    """CR LF ends a line as LF does."""
    bot = start("crlf")
    assert [ask(bot), ask(bot)] == [b"ok 1", b"ok 2"]


@pytest.mark.parametrize(
    ("mode", "kind", "detail"),
    [
        (["hang"], "timeout", "nothing received, {} ms allowed"),
        (["stop_self"], "timeout", "process is stopped (T)"),
        (
            ["cr_only"],
            "timeout",
            "partial line of 5 bytes, {} ms allowed; it ends in CR, but a line ends in a line feed",
        ),
        (["partial"], "timeout", "partial line of 2 bytes, {} ms allowed"),
        (["close_stdin"], "timeout", "nothing received, {} ms allowed"),
        (["never_read"], "timeout", "nothing received, {} ms allowed"),
    ],
)
def test_time_runs_out(start: Start, mode: list[str], kind: str, detail: str) -> None:
    """A bot that does not answer in time is told what was missing, soon after its deadline."""
    bot = start(*mode)
    if mode == ["close_stdin"]:
        bot.send(REQUEST, SHORT)
        wait_until(lambda: (bot.check_quiet(), bot.stderr_tail())[1] == b"closed")
        detail += "; the bot has closed its stdin"
    elif mode != ["never_read"]:
        limit = Limit(1_500, 1_500)
        began = time.monotonic()
        fault = ask(bot, limit)
        assert isinstance(fault, Fault)
        assert (fault.kind, fault.detail) == (kind, detail.format("1,500"))
        assert time.monotonic() - began < 1.5 + 2
        assert bot.last_wall_us >= 1_500_000
        return
    fault = ask(bot, SHORT)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.detail) == (kind, detail.format(SHORT.move_ms))


def test_a_byte_does_not_move_the_deadline(start: Start) -> None:
    """A bot that drips bytes without end has the same deadline as a silent one."""
    bot = start("drip")
    began = time.monotonic()
    fault = ask(bot, Limit(1_000, 1_000))
    assert isinstance(fault, Fault)
    assert fault.kind == "timeout"
    assert fault.detail.startswith("partial line of ")
    assert time.monotonic() - began < 1 + 2


@pytest.mark.parametrize(
    ("mode", "detail"),
    [
        (["segv"], "SIGSEGV"),
        (["exit3"], "exit status 3"),
        (["exit_at_request", "0"], "exit status 0"),
        (["exit_at_request", "139"], "exit status 139"),
        (["partial_then_exit"], "exit status 0 after a partial line of 6 bytes"),
        (["no_newline_exit"], "exit status 0 after a partial line of 8 bytes"),
        (["close_stdout"], "closed stdout"),
        (["daemon_holds_stdout"], "exit status 4"),
    ],
)
def test_death_is_noticed(start: Start, mode: list[str], detail: str) -> None:
    """A bot that ends is not waited for, and how it ended is said."""
    bot = start(*mode)
    began = time.monotonic()
    fault = ask(bot)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.detail) == ("died", detail)
    assert time.monotonic() - began < 5


def test_a_line_too_long_is_cut_and_its_bot_killed(start: Start) -> None:
    """An endless line ends the bot at 64 KiB, and the runner does not grow with it."""
    bot = start("big_line", "64")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fault = ask(bot)
    assert isinstance(fault, Fault)
    assert fault.kind == "too-long"
    assert fault.detail == "65,536 bytes without a line feed"
    assert fault.raw == b"x" * 200
    assert not alive(bot.pid)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
    assert bot.stop(0) == "SIGKILL"


def test_the_longest_line_is_read_whole(start: Start) -> None:
    """65,536 bytes with the line feed are a line, one more is not."""
    assert ask(start("line_of", str(MAX_LINE_BYTES))) == b"y" * (MAX_LINE_BYTES - 1)
    fault = ask(start("line_of", str(MAX_LINE_BYTES + 1)))
    assert isinstance(fault, Fault)
    assert fault.kind == "too-long"


def test_bytes_behind_the_line_come_with_it(start: Start) -> None:
    """What is read together with a line is returned behind it, for the line to be judged first."""
    assert ask(start("twice")) == b"ok 1\nok 1\n"


@pytest.mark.parametrize("mode", ["flood_before", "flood_after"])
def test_a_flood_ends_the_decision(start: Start, mode: str) -> None:
    """A flood of lines ends the decision at once, whether or not the request could be written."""
    bot = start(mode)
    read = ask(bot, request=b"r" * 300_000 + b"\n" if mode == "flood_before" else REQUEST)
    assert isinstance(read, bytes)
    assert read.startswith(b"flood\nflood\n" if mode == "flood_before" else b"ok 1\nflood\n")
    assert len(read) <= MAX_LINE_BYTES


def test_a_reply_before_death_counts(start: Start) -> None:
    """A bot that exits right after its reply has answered; it dies at the next request."""
    bot = start("reply_then_exit")
    assert bot.send(REQUEST, ENOUGH) is None
    wait_until(lambda: not alive(bot.pid))
    assert bot.receive(ENOUGH) == b"ok 1"
    assert bot.check_quiet() is None
    assert ask(bot) == Fault("died", "exit status 0")


def test_a_reply_before_death_counts_though_a_daemon_holds_the_pipe(start: Start) -> None:
    """The reply is read first, then the death is seen without an end of file."""
    bot = start("reply_and_daemon")
    assert ask(bot) == b"ok 1"
    began = time.monotonic()
    assert ask(bot) == Fault("died", "exit status 0")
    assert time.monotonic() - began < 5


def test_a_late_reply_is_read_by_the_next_receive(start: Start) -> None:
    """What is in the pipe when nothing is due is unasked."""
    bot = start("honest")
    assert bot.check_quiet() is None
    bot.post(REQUEST)
    bot._poll(20_000)
    assert bot.check_quiet() == Fault("unasked", "5 bytes after the last reply, starting `ok 1\\n`", b"ok 1\n")


def test_a_request_larger_than_the_pipe(start: Start) -> None:
    """A long request is written as the bot reads it, under the same deadline."""
    bot = start("slow_reader", "0.1")
    request = b"r" * 400_000 + b"\n"
    assert ask(bot, request=request) == b"ok 1"
    assert ask(bot) == b"ok 2"


def test_a_request_that_is_never_read(start: Start) -> None:
    """A full pipe does not block the runner past the deadline."""
    bot = start("never_read")
    began = time.monotonic()
    fault = bot.send(b"r" * 400_000 + b"\n", SHORT)
    assert isinstance(fault, Fault)
    assert fault.kind == "timeout"
    assert fault.detail.startswith("the request was not read: ")
    assert time.monotonic() - began < 2


def test_stderr_is_kept_to_its_end_and_cut_at_8_mib(start: Start) -> None:
    """A flood of stderr neither blocks the bot nor fills memory."""
    bot = start("stderr_flood", "16")
    assert ask(bot) == b"ok 1"
    tail = bot.stderr_tail()
    assert len(tail) == 65_536
    assert tail.endswith(b"e\n")
    assert bot.stderr_dropped + len(tail) in range(8 * 1024 * 1024, 8 * 1024 * 1024 + 65_536)


def test_stderr_is_drained_between_games(start: Start) -> None:
    """The fast way does not look at stderr; the end of a game does, so that a bot that logs need not wait."""
    bot = start("stderr_note")
    assert ask(bot) == b"ok 1"
    assert bot.check_quiet() is None
    assert bot.stderr_tail() == b"first words\n"


def test_a_bot_that_ignores_signals_and_end_of_file_is_killed(start: Start) -> None:
    """After the grace comes SIGKILL."""
    bot = start("ignore_term")
    assert ask(bot) == b"ok 1"
    assert bot.stop(50) == "SIGKILL"
    assert not alive(bot.pid)


def test_a_stopped_bot_can_be_ended(start: Start) -> None:
    """SIGKILL works on a stopped process."""
    bot = start("stop_self")
    bot.send(REQUEST, SHORT)
    wait_until(lambda: (stat := bot._clock.stat()) is not None and stat.state == "T")
    assert bot.stop(0) == "SIGKILL"


def test_a_bot_gets_exactly_its_environment(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable, descriptor or signal setting of the runner reaches a bot."""
    for name in ("LD_PRELOAD_OF_NONE", "PYTHONPATH", "SECRET_TOKEN"):
        monkeypatch.setenv(name, "x")
    inherited = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(inherited, True)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    bot = start("environment")
    signal.signal(signal.SIGHUP, before)
    os.close(inherited)
    home = bot._home
    wanted = {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PWD": str(bot.launch.directory),
    }
    reply = ask(bot)
    assert isinstance(reply, bytes)
    assert dict(entry.split("=", 1) for entry in reply.decode().split("\0")) == wanted
    assert ask(bot) == f"{bot.launch.directory} [] [0, 1, 2] True".encode()


def test_a_program_that_cannot_be_run(tmp_path: Path) -> None:
    """What the kernel refuses is a fault of kind start, and nothing is left of the attempt."""
    scratch = tmp_path / "scratch"
    (tmp_path / "text").write_text("no program\n")
    for command, detail in [
        ((str(tmp_path / "none"),), "no such file, or its interpreter is missing"),
        ((str(tmp_path / "text"),), "not executable (chmod +x)"),
        ((str(tmp_path),), "not executable (chmod +x)"),
        (("a\0b",), "the command has a NUL character"),
    ]:
        assert BotProcess.start(Launch("x", command, tmp_path, scratch)) == Fault("start", detail)
        assert not [*scratch.glob("*")]
    (tmp_path / "text").chmod(0o755)
    fault = BotProcess.start(Launch("x", (str(tmp_path / "text"),), tmp_path, scratch))
    assert isinstance(fault, Fault)
    assert fault.detail.startswith("exec format error")


def test_a_start_that_fails_for_our_lack_leaves_nothing(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without descriptors to watch it by, the bot is ended again, and the error is ours to raise."""
    launch = start("honest").launch
    before = sorted(os.listdir("/proc/self/fd"))  # noqa: PTH208
    real_open = os.pidfd_open

    def no_more(pid: int) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "pidfd_open", no_more)
    with pytest.raises(OSError, match="Too many open files"):
        BotProcess.start(launch)
    monkeypatch.setattr(os, "pidfd_open", real_open)
    assert sorted(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    assert len([*launch.scratch.iterdir()]) == 1


def test_nothing_stays_open(start: Start) -> None:
    """A bot that was stopped has left no descriptor behind, however it ended."""
    before = sorted(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for mode in ("honest", "exit3", "flood_after", "segv"):
        bot = start(mode)
        ask(bot)
        bot.stop(0)
    assert sorted(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
