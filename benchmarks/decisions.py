"""Decisions a second: the floor, and whole matches with records written, start-up left out."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runner.entrant.launch import Launch
from runner.entrant.pool import SessionPool
from runner.game.presets import resolve_rules
from runner.protocol.messages import WireClock
from runner.store.store import Store
from runner.table.conditions import Conditions
from runner.table.match import play_match
from runner.table.results import MatchPlan

HERE = Path(__file__).parent
LINE = b"x" * 89 + b"\n"
IDS = ("a", "b", "c", "d")
CHUNK = 8  # matches in a transaction, as a run of fast bots has


def compiled(name: str, place: Path) -> Path:
    """Return the program made from benchmarks/NAME.c."""
    program = place / name
    subprocess.run(["cc", "-O2", "-o", str(program), str(HERE / f"{name}.c")], check=True)
    return program


@contextmanager
def one_cpu() -> Iterator[None]:
    """Bind this process, and so the bots it starts, to one CPU."""
    cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cpus)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cpus)


def floor_rate(echo: Path, lines: int = 40_000) -> float:
    """Return lines a second that `echo` answers over pipes when nothing else is done."""
    with one_cpu(), subprocess.Popen([echo], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        to_bot, from_bot = process.stdin.fileno(), process.stdout.fileno()
        for _ in range(1000):
            os.write(to_bot, LINE)
            os.read(from_bot, 4096)
        began = time.perf_counter()
        for _ in range(lines):
            os.write(to_bot, LINE)
            os.read(from_bot, 4096)
        seconds = time.perf_counter() - began
        process.stdin.close()
    return lines / seconds


def bots_rate(command: tuple[str, ...], place: Path, matches: int) -> float:
    """Return decisions a second in `matches` classic matches of four such bots, stored as a run stores them."""
    conditions = Conditions(resolve_rules("classic").for_players(4), bytes(32), WireClock(5000, 1000, 5500, None))
    launches = {one: Launch(one, command, place, place / "scratch") for one in IDS}
    snapshots = {one: bytes(32) for one in IDS}
    directory = place / f"store-{time.monotonic_ns()}"
    directory.mkdir()
    with one_cpu(), Store.create_or_open(directory) as store:
        pool = SessionPool(launches, conditions.clock)
        try:
            play_match(MatchPlan(b"warm up".ljust(32), "w.0", IDS), conditions, snapshots, pool.find)
            decisions, results = 0, []
            began = time.perf_counter()
            for number in range(matches):
                plan = MatchPlan(number.to_bytes(32, "big"), f"b.{number}", IDS)
                result = play_match(plan, conditions, snapshots, pool.find)
                assert not result.faults, result.faults
                decisions += result.decisions
                results.append(result)
                if len(results) == CHUNK:
                    store.write(results)
                    results = []
            store.write(results)
            return decisions / (time.perf_counter() - began)
        finally:
            pool.close()
