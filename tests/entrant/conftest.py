"""What the tests of bot processes share: started bots, and the assurance that none is left."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runner.entrant import tree
from runner.entrant.launch import Launch
from runner.entrant.process import BotProcess, Limit

HOSTILE = Path(__file__).with_name("hostile_bot.py")
ENOUGH = Limit(20_000, 20_000)

Start = Callable[..., BotProcess]


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until `condition` holds; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition never held"
        time.sleep(0.002)


def alive(pid: int) -> bool:
    """Say whether process `pid` is there and no zombie."""
    stat = tree.read_stat(pid)
    return stat is not None and stat.state not in "ZX"


def descendants() -> set[int]:
    """Return all processes below this one, zombies too."""
    table = {pid: stat for pid in tree.pids() if (stat := tree.read_stat(pid)) is not None}
    found = {os.getpid()}
    while more := {pid for pid, stat in table.items() if stat.parent in found} - found:
        found |= more
    return found - {os.getpid()}


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Fail a test that leaves a process, and every process that it started must be reaped."""
    tree.become_subreaper()
    before = descendants()
    yield
    left = descendants() - before
    for pid in left:
        tree._signal(pid, 9)
    assert not left


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start hostile bots by mode; they are stopped at the end, and nothing of their scratch is left."""
    directory = tmp_path / "bot"
    directory.mkdir()
    shutil.copy(HOSTILE, directory / "bot.py")
    started: list[BotProcess] = []

    def start_bot(*arguments: str, command: tuple[str, ...] | None = None) -> BotProcess:
        scratch = tmp_path / "scratch"
        command = command or (sys.executable, "-S", "-E", "bot.py", *arguments)
        bot = BotProcess.start(Launch("hostile", command, directory, scratch))
        assert isinstance(bot, BotProcess), bot
        started.append(bot)
        return bot

    yield start_bot
    for bot in started:
        bot.stop(0)
    assert not [*(tmp_path / "scratch").glob("*")]


@pytest.fixture(scope="session")
def echo(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Return the command of a program that sends every byte back."""
    return (shutil.which("cat") or "cat",)


__all__ = ["ENOUGH", "HOSTILE", "Start", "alive", "subprocess", "wait_until"]
