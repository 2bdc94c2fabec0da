"""The bots that the benchmarks time: they speak the protocol, and the C ones compile without a warning."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
COMPILER = shutil.which("gcc") or shutil.which("cc")
LINES = [
    '{"type":"hello","protocol":1,"game":"oh-hell","runner":"1.0.0"}',
    '{"type":"game_start","game":1,"seat":0,"players":4}',
    '{"type":"request_bid","id":8127,"legal":[0,1,2],"game":1,"hand":4}',
    '{"type":"play","game":1,"seat":0,"card":"AS"}',
    '{"type":"request_bid","id":9007199254740991,"legal":[12,13],"game":1,"hand":4}',
    '{"type":"request_play","id":9007199254740992,"legal":["4D","AS"],"game":1,"hand":4}',
    '{"type":"quit"}',
]
ANSWERS = [
    {"type": "ready", "protocol": 1},
    {"id": 8127, "bid": 0},
    {"id": 9007199254740991, "bid": 12},
    {"id": 9007199254740992, "card": "4D"},
]


def build(name: str, into: Path) -> list[str]:
    """The command that starts a benchmark bot, compiled first if it is in C."""
    source = BENCHMARKS / name
    if source.suffix == ".py":
        return [sys.executable, str(source)]
    assert COMPILER is not None
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([COMPILER, *flags, "-o", str(into / "bot"), str(source)], check=True, timeout=60)
    return [str(into / "bot")]


def talk(command: list[str], lines: list[str]) -> list[bytes]:
    sent = "".join(line + "\n" for line in lines).encode()
    done = subprocess.run(command, input=sent, capture_output=True, timeout=30, check=True)
    return done.stdout.splitlines(keepends=True)


# Where there is no C compiler there is no C benchmark either.
@pytest.mark.parametrize("name", ["first_legal.py", *(["first_legal.c"] if COMPILER else [])])
def test_first_legal_answers_with_the_first_legal_option(name: str, tmp_path: Path) -> None:
    """The handshake, bids and cards are answered by id; events are not; both languages agree."""
    assert [json.loads(line) for line in talk(build(name, tmp_path), LINES)] == ANSWERS


@pytest.mark.parametrize("name", ["echo.c"] if COMPILER else [])
def test_echo_writes_ninety_bytes_for_each_line(name: str, tmp_path: Path) -> None:
    """Whatever a line is, one line of 90 bytes comes back."""
    answers = talk(build(name, tmp_path), LINES)
    assert [len(answer) for answer in answers] == [90] * len(LINES)
    assert all(answer.endswith(b"\n") for answer in answers)
