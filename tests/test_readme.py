"""README.md is true: its bot plays, its files are read, and every command in it runs."""

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from runner.entrant.manifest import Manifest
from runner.tournament.keys import FileKeys

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
# Takes minutes: .ci/full runs it.
LONG = "ohhell run tournaments/house-bots.yaml"
# Keys that are read but, in this version, have one value only.
ONE_VALUE = {"format", "challengers", "apart", "budget", "limits", "isolation", "executor", "rulings"}


def block(language: str, part: str) -> str:
    """The code block of that language that has `part` in it."""
    return next(text for text in re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL) if part in text)


def table_keys(after: str) -> set[str]:
    """The keys named in the first column of the table that follows the line `after`."""
    rows = README.split(after, 1)[1].split("\n\n")
    table = next(part for part in rows if part.startswith("| key"))
    return {key for row in table.splitlines()[2:] for key in re.findall(r"`(\w+)`", row.split("|")[1])}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with README's tournament file and README's bot in it."""
    here = tmp_path_factory.mktemp("readme")
    (here / "bots" / "mine").mkdir(parents=True)
    (here / "bots" / "mine" / "bot.py").write_text(block("python", "request_bid"))
    (here / "cup.yaml").write_text(block("yaml", "name: cup"))
    return here


def ohhell(place: Path, command: str) -> "subprocess.CompletedProcess[str]":
    words = command.split()
    assert words[0] == "ohhell"
    return subprocess.run(
        [sys.executable, "-m", "runner", *words[1:]], cwd=place, capture_output=True, text=True, check=False
    )


@pytest.mark.timeout(300)
def test_every_command_runs_in_the_order_of_the_page(place: Path) -> None:
    """What a newcomer types works, and none of it ends in a traceback."""
    commands = [command for command in re.findall(r"`(ohhell [^`]+)`", README) if command != LONG]
    assert len(commands) >= 8
    commands += [
        f"ohhell standings runs/cup {option}" for option in re.findall(r"with `(--json)` or `(--times)`", README)[0]
    ]
    for command in commands:
        ended = ohhell(place, command)
        assert ended.returncode == 0, (command, ended.stderr)
        assert ended.stdout, command
        assert "Traceback" not in ended.stderr


def test_every_key_of_a_tournament_file_is_explained() -> None:
    """The table has the keys that there are, but for those with one value only."""
    known = set(FileKeys.__struct_fields__)
    assert table_keys("## The tournament file") == known - ONE_VALUE


def test_the_manifest_is_one() -> None:
    """The example's keys are the manifest's."""
    keys = re.findall(r"^(\w+):", block("yaml", "name: My Bot"), re.MULTILINE)
    assert set(keys) <= {field.name for field in msgspec.structs.fields(Manifest)}


def test_the_lines_that_set_up_are_those_that_ci_runs() -> None:
    """.ci/run takes both lines from this page."""
    script = (ROOT / ".ci" / "run").read_text()
    assert "README.md" in script
    assert (
        len(re.findall(r"^python3 -m venv \.venv && .*ohhell run tournaments/quickstart\.yaml$", README, re.MULTILINE))
        == 1
    )
    assert len(re.findall(r"^python3 -m venv \.venv && .*'\.\[dev\]'.*pytest$", README, re.MULTILINE)) == 1
