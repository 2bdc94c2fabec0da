"""Measures the runner against a floor, in one run: `python -m benchmarks`. Prints ratios, which are what to compare.

The floor is a C program that answers every line with one of 90 bytes over the same kind of pipes, on the same CPU.
Each figure is the median of interleaved rounds, so that a machine that changes its speed changes both sides.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click

from benchmarks.decisions import bots_rate, compiled, floor_rate
from benchmarks.memory import parent_growth_mb
from benchmarks.runs import bytes_a_game, first_match_seconds, two_workers_gain

ROUNDS = 5


@click.command()
@click.option("--rounds", default=ROUNDS, show_default=True, help="Interleaved rounds of each speed measurement.")
@click.option("--quick", is_flag=True, help="Leave out memory over 10,000 matches, which takes minutes.")
def main(rounds: int, *, quick: bool) -> None:
    """Print every figure with its goal."""
    with tempfile.TemporaryDirectory(prefix="ohhell-bench-") as directory:
        place = Path(directory)
        print_decisions(place, rounds)
        print_start(rounds)
        print_workers(place)
        click.echo(f"a stored classic game of four    {bytes_a_game(place):8,.0f} bytes        goal: at most 3,072")
        if not quick:
            grown = parent_growth_mb(place)
            click.echo(f"parent, 10,000 v 100 matches     {grown:8.1f} MB more      goal: at most 30")


def print_decisions(place: Path, rounds: int) -> None:
    """Print decisions a second with C and with Python bots, as shares of the floor."""
    echo, c_bot = compiled("echo", place), compiled("first_legal", place)
    python_bot = (sys.executable, str(Path(__file__).with_name("first_legal.py")))
    floors, in_c, in_python = [], [], []
    for _ in range(rounds):
        floors.append(floor_rate(echo))
        in_c.append(bots_rate((str(c_bot),), place, matches=24))
        in_python.append(bots_rate(python_bot, place, matches=8))
    floor = statistics.median(floors)
    click.echo(f"floor                            {floor:8,.0f} lines/s")
    for name, rates, goal in (("four C bots", in_c, 0.4), ("four Python bots", in_python, 0.1)):
        share = statistics.median(rate / base for rate, base in zip(rates, floors, strict=True))
        rate = statistics.median(rates)
        click.echo(f"{name:32} {rate:8,.0f} decisions/s  {share:.2f} of the floor, goal: at least {goal}")


def print_start(rounds: int) -> None:
    """Print how long the command takes to start, in seconds and as multiples of an empty Python program."""
    bare = _median_seconds(rounds, lambda: _run(sys.executable, "-c", "pass"))
    helped = _median_seconds(rounds, lambda: _run(sys.executable, "-m", "runner", "--help"))
    first = statistics.median(first_match_seconds() for _ in range(rounds))
    click.echo(f"python -c pass                   {bare:8.3f} s")
    click.echo(
        f"ohhell --help                    {helped:8.3f} s            {helped / bare:.1f} times, goal: under 0.2 s"
    )
    click.echo(
        f"start to first match             {first:8.3f} s            {first / bare:.1f} times, goal: under 0.5 s"
    )


def print_workers(place: Path) -> None:
    """Print what a second worker gains."""
    if len(os.sched_getaffinity(0)) < 2:
        click.echo("two workers v one                not measured: one CPU")
        return
    click.echo(f"two workers v one                {two_workers_gain(place):8.2f} times        goal: at least 1.8")


def _median_seconds(rounds: int, work: Callable[[], None]) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
