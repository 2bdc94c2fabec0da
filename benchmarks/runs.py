"""Whole runs: what a second worker gains, how soon the first match is played, what a game takes on disk."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.decisions import HERE, compiled
from runner.store.database import FILE_NAME
from runner.tournament.config import load_tournament
from runner.tournament.play import play
from runner.tournament.run import open_run

MATCHES = 160


def _write_file(place: Path, bots: str, replicates: int) -> Path:
    file = place / "bench.yaml"
    file.write_text(f"name: bench\nseed: 1\nentrants: [{{path: {bots}, copies: 4}}]\nreplicates: {replicates}\n")
    return file


def _play_seconds(place: Path, replicates: int, workers: int) -> float:
    tournament = load_tournament(_write_file(place, str(compiled("first_legal", place)), replicates))
    with (
        tempfile.TemporaryDirectory(dir=place) as directory,
        open_run(tournament, Path(directory) / "run") as run,
    ):
        began = time.perf_counter()
        play(run.plan, run.store, run.known, run.launches, workers, lambda step: None)
        return time.perf_counter() - began


def two_workers_gain(place: Path) -> float:
    """Return how many times as many matches two workers play, the cost of starting and ending a run left out."""
    rates = {}
    for workers in (1, 2):
        long, short = _play_seconds(place, MATCHES, workers), _play_seconds(place, workers, workers)
        rates[workers] = (MATCHES - workers) / (long - short)
    return rates[2] / rates[1]


# Put into the bot: the first that is asked anything leaves the time.
_WATCH = """
import os, sys, time


class Watch:
    def __iter__(self):
        for line in stdin:
            if '"request_' in line and not os.path.exists({file!r}):
                with open({file!r}, "w") as file:
                    file.write(str(time.time()))
            yield line


stdin, sys.stdin = sys.stdin, Watch()
"""


def first_match_seconds() -> float:
    """Return the time from starting the command until the first request of the first match has reached a bot."""
    with tempfile.TemporaryDirectory() as directory:
        stamp, bot = Path(directory, "stamp"), Path(directory, "early.py")
        source = (HERE / "first_legal.py").read_text()
        bot.write_text(source.replace("import json\n", f"import json\n{_WATCH.format(file=str(stamp))}", 1))
        file = _write_file(Path(directory), str(bot), 1)
        began = time.time()
        words = [sys.executable, "-m", "runner", "run", str(file), "--out", f"{directory}/run", "--workers", "1"]
        subprocess.run(words, check=True, capture_output=True)
        return float(stamp.read_text()) - began


def bytes_a_game(place: Path) -> float:
    """Return what one stored game takes in the file of a finished run, all overhead included."""
    sizes = []
    for replicates in (10, MATCHES):
        tournament = load_tournament(_write_file(place, str(compiled("first_legal", place)), replicates))
        with (
            tempfile.TemporaryDirectory(dir=place) as directory,
        ):
            with open_run(tournament, Path(directory) / "run") as run:
                play(run.plan, run.store, run.known, run.launches, 2, lambda step: None)
            sizes.append((Path(directory) / "run" / FILE_NAME).stat().st_size)
    return (sizes[1] - sizes[0]) / ((MATCHES - 10) * 4)
