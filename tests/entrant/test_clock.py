import os
import subprocess
import sys
import time

import pytest

from runner.entrant import clock
from runner.entrant.clock import Meter, Reading, TreeClock
from runner.entrant.process import BotProcess, Limit
from runner.protocol.faults import Fault
from tests.entrant.conftest import ENOUGH, Start, wait_until

MS = 1_000_000


class Script:
    """A clock that says what it is told to, one reading a time."""

    def __init__(self, *readings: Reading) -> None:
        self._readings = list(readings)

    def read(self) -> Reading:
        return self._readings.pop(0)


def at(cpu_ms: float, wait_ms: float = 0, reaped_ms: float = 0) -> Reading:
    return Reading(int(cpu_ms * MS), int(reaped_ms * MS), {1: int(wait_ms * MS)})


def meter(*readings: Reading) -> Meter:
    return Meter(Script(*readings))  # type: ignore[arg-type]


def test_run_queue_wait_is_not_charged() -> None:
    """A bot that had the CPU for 20 of 170 ms and waited for it during 150 is charged 20."""
    m = meter(at(0), at(20, wait_ms=150))
    m.begin(5 * MS)
    assert m.end(170 * MS, 1000 * MS) == 20 * MS


def test_sleep_is_charged() -> None:
    """Wall time counts where the bot did not want the CPU."""
    m = meter(at(0), at(1), at(1))
    m.begin(5 * MS)
    assert m.charged_ns(80 * MS) == 80 * MS
    assert m.end(90 * MS, 1000 * MS) == 90 * MS


def test_cpu_time_of_children_is_charged() -> None:
    """Two children that burn 50 ms at once cost 100, however short the wall time; ticks are not rounded up."""
    m = meter(at(0), at(100))
    m.begin(5 * MS)
    assert m.end(50 * MS, 1000 * MS) == 100 * MS
    rounding_ms = 2_000 / os.sysconf("SC_CLK_TCK")
    m = meter(at(0), at(0, reaped_ms=100))
    m.begin(5 * MS)
    assert m.end(50 * MS, 1000 * MS) == (100 - rounding_ms) * MS


def test_off_turn_cpu_past_5_ms_is_charged_to_the_next_decision() -> None:
    """After a slow decision its last reading is the baseline: 30 ms of CPU since, 5 of them in the slice, cost 20."""
    m = meter(at(0), at(10), at(40), at(41))
    m.begin(5 * MS)
    m.end(20 * MS, 1000 * MS)
    m.begin(5 * MS)
    assert m.end(8 * MS, 1000 * MS) == (8 + 20) * MS
    assert m._idle_ns == 25 * MS


def test_off_turn_cpu_is_a_mean_over_quick_decisions() -> None:
    """Quick decisions between two slow ones pay for their own CPU, and each has its 5 ms free."""
    m = meter(at(0), at(10), at(10 + 30 + 12), at(52))
    m.begin(5 * MS)
    m.end(20 * MS, 1000 * MS)
    m.turn_ns, m.turns = 9 * MS, 2
    m.begin(3 * MS)
    # 42 ms of CPU, 12 of them on the turn: 10 ms off-turn in each of three gaps, 5 of them free
    assert m.end(8 * MS, 1000 * MS) == (8 + 5) * MS


def test_wait_within_the_slice_counts_after_a_slow_decision() -> None:
    """The reading at the end of the decision before shows what the slice of this one was spent on."""
    m = meter(at(0), at(10, wait_ms=1), at(10, wait_ms=5), at(12, wait_ms=20))
    m.begin(5 * MS)
    m.end(20 * MS, 1000 * MS)
    m.begin(5 * MS)
    assert m.end(30 * MS, 1000 * MS) == (30 - 4 - 15) * MS


def test_the_wall_part_of_a_reply_is_capped() -> None:
    """A reply that was there when it was looked for is charged no more wall time than the limit."""
    m = meter(at(0), at(1))
    m.begin(5 * MS)
    assert m.end(300 * MS, 100 * MS) == 100 * MS


def test_the_longest_wait_of_any_thread_counts() -> None:
    """Threads that wait at the same time do not add up."""
    now = Reading(0, 0, {1: 5, 2: 90, 3: 60})
    assert now.waited_since(Reading(0, 0, {1: 4, 2: 50})) == 60
    assert Reading().waited_since(now) == 0


def ask(bot: BotProcess, limit: Limit = ENOUGH) -> bytes | Fault:
    return bot.send(b"go\n", limit) or bot.receive(limit)


def test_a_quick_reply_reads_no_clock(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the slice a reply is judged by wall time alone."""
    bot = start("honest")
    assert ask(bot) == b"ok 1"
    monkeypatch.setattr(TreeClock, "read", lambda self: pytest.fail("a clock was read"))
    quick = Limit(ENOUGH.move_ms, ENOUGH.move_wall_ms)
    object.__setattr__(quick, "slice_ms", 20_000)
    for number in range(2, 50):
        assert ask(bot, quick) == b"ok %d" % number
        assert bot.last_charged_us == bot.last_wall_us


def test_sleep_and_work_are_charged(start: Start) -> None:
    """What a bot spends asleep or at work is what it is charged, on an idle machine and a busy one."""
    bot = start("sleep", "0.05")
    ask(bot)
    assert ask(bot) == b"ok 2"
    assert 45_000 <= bot.last_charged_us <= bot.last_wall_us
    bot = start("spin", "0.05")
    ask(bot)
    assert ask(bot) == b"ok 2"
    assert 40_000 <= bot.last_charged_us <= bot.last_wall_us


def test_a_busy_machine_costs_an_honest_bot_little(start: Start) -> None:
    """Beside four spinners on the same CPU 40 ms of work take much longer and are charged about 40 ms."""
    cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cpus)})
    try:
        bot = start("spin", "0.04")
        ask(bot)
        spinners = [start("spin", "20") for _ in range(4)]
        for spinner in spinners:
            spinner.send(b"go\n", ENOUGH)
        for _ in range(2):  # the first has no exact baseline
            line = ask(bot, Limit(100, 10_000))
        assert isinstance(line, bytes)
        assert bot.last_wall_us > 100_000
        assert 35_000 <= bot.last_charged_us < 60_000
    finally:
        os.sched_setaffinity(0, cpus)


def test_children_are_seen(start: Start) -> None:
    """A bot that has its children work is charged their CPU time."""
    bot = start("child_burn", "0.2")
    assert ask(bot) == b"ok 1"
    assert bot.last_charged_us > 150_000


def test_a_reply_that_cost_too_much_cpu_does_not_count(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """CPU time of the tree past the limit is a timeout even where wall time was not."""
    bot = start("sleep", "0.03")
    readings = iter([at(0), at(700)])
    monkeypatch.setattr(Meter, "charged_ns", lambda self, wall_ns: 0)
    monkeypatch.setattr(TreeClock, "read", lambda self: next(readings))
    fault = ask(bot, Limit(500, 500))
    assert fault == Fault("timeout", "used 700 ms of CPU, 500 ms allowed", b"ok 1")


def test_waiting_goes_on_while_the_charge_is_low(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that waits for a CPU has until the hard cap, and not longer."""
    bot = start("hang")
    began = time.monotonic_ns()
    monkeypatch.setattr(TreeClock, "read", lambda self: at(0, wait_ms=(time.monotonic_ns() - began) / MS))
    assert ask(bot, Limit(50, 300)) == Fault("timeout", "nothing received, 50 ms allowed")
    assert 300_000 <= bot.last_wall_us < 1_500_000
    assert bot.last_charged_us < 100_000


def test_off_turn_work_is_seen(start: Start) -> None:
    """CPU that is burnt after a reply is reported and charged to the next decision."""
    bot = start("idle_burn", "0.5")
    assert ask(bot) == b"ok 1"
    # On a busy machine some of it is burnt before the reply is even seen.
    wait_until(lambda: bot.off_turn_us() > 200_000)
    assert ask(bot) == b"ok 2"
    assert bot.last_charged_us >= 200_000


def test_a_stall_of_the_runner_is_nobodys_time(start: Start) -> None:
    """A runner that is stopped for longer than a bot's limit finds the reply and charges nobody for the stall."""
    bot = start("sleep", "0.2")
    assert bot.send(b"go\n", Limit(500, 600)) is None
    pause = "import os, signal, sys, time; p = int(sys.argv[1]); time.sleep(0.05); os.kill(p, signal.SIGSTOP); "
    pause += "time.sleep(1.2); os.kill(p, signal.SIGCONT)"
    stopper = subprocess.Popen([sys.executable, "-S", "-E", "-c", pause, str(os.getpid())])
    assert bot.receive(Limit(500, 600)) == b"ok 1"
    assert bot.last_charged_us < 500_000
    assert stopper.wait() == 0


@pytest.mark.parametrize("seconds", ["0", "0.05"])
def test_a_stall_of_all_is_nobodys_time(start: Start, seconds: str) -> None:
    """Runner and bot that were stopped together for longer than a limit go on with the decision where it stood."""
    bot = start("sleep", seconds)
    assert bot.send(b"go\n", Limit(5_000, 6_000)) is None
    bot._began_ns -= 60_000_000_000  # as if they had been stopped here, before the runner first looked
    bot._looked_ns -= 60_000_000_000
    assert bot.receive(Limit(5_000, 6_000)) == b"ok 1"
    assert bot.last_wall_us < 5_000_000
    assert bot.last_charged_us < 5_000_000


def test_the_name_of_the_clock() -> None:
    """Results say what was measured."""
    assert clock.CLOCK_NAME == "wall time less run-queue wait"
