"""`ohhell doctor`: what it looks at, that it never hangs, and what makes it say no."""

import errno
import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from runner.cli.doctor import command
from runner.doctor import languages, machine, places
from runner.doctor.languages import ask_version
from runner.doctor.places import examine_place, examine_run
from runner.store.store import Store
from tests.cli.tables import make_plan, make_run, play

STATUSES = {"ok", "note", "problem"}


@pytest.fixture(autouse=True)
def few_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The languages of this machine are not under test, and asking all of them takes time."""
    monkeypatch.setattr(
        languages, "LANGUAGES", {"python3": ("python3",), "sh": ("sh", "-c", "echo sh 1"), "no": ("n0",)}
    )


def test_machine_is_described_for_people_and_programs(tmp_path: Path) -> None:
    """Both forms have the same findings, and a machine that runs these tests can run tournaments."""
    told = CliRunner().invoke(command, [str(tmp_path)], catch_exceptions=False)
    assert told.exit_code == 0
    assert max(len(line) for line in told.output.splitlines() if "directory" not in line) <= 80
    outcome = CliRunner().invoke(command, [str(tmp_path), "--json"], catch_exceptions=False)
    report = json.loads(outcome.output)
    assert (report["version"], report["ok"]) == (1, True)
    names = {finding["name"] for finding in report["findings"]}
    assert {"CPUs", "charged time", "isolation", "open files", "SQLite", "lock", "SQLite journal", "python3"} <= names
    for finding in report["findings"]:
        assert finding["status"] in STATUSES
        assert finding["status"] == "ok" or finding["advice"]
        assert f"{finding['name']}:" in told.output
    assert list(tmp_path.iterdir()) == []


def test_isolation_is_told_honestly(tmp_path: Path) -> None:
    """Bots can read files and use the network, and the doctor says so."""
    text = CliRunner().invoke(command, [str(tmp_path)], catch_exceptions=False).output
    assert "limits only" in text
    assert "a bot can read your files" in " ".join(text.split())


def test_too_few_open_files_are_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Exit code 1, with the command that helps."""
    monkeypatch.setattr(machine.resource, "getrlimit", lambda which: (64, 64))
    outcome = CliRunner().invoke(command, [str(tmp_path)], catch_exceptions=False)
    assert outcome.exit_code == 1
    assert "ulimit -n" in outcome.output


def test_a_language_that_hangs_is_given_up_with_all_it_started() -> None:
    """A grandchild that keeps the output open does not hold the doctor up, and is ended."""
    began = time.monotonic()
    assert ask_version(("sh", "-c", "sleep 100 & sleep 100"), seconds=0.2) is None
    assert time.monotonic() - began < 50


def test_what_a_language_says_is_escaped_and_cut() -> None:
    """Only the first line, without its escapes."""
    assert ask_version(("printf", "\\033[31mred\\nmore")) == r"\x1b[31mred"
    assert ask_version(("sh", "-c", "echo no; exit 1")) is None
    assert ask_version(("/nowhere/program",)) is None


def test_read_only_directory_is_a_note(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It can be read from, not run into."""

    def refuse(**_: object) -> str:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(places.tempfile, "mkdtemp", refuse)
    [finding] = examine_place(tmp_path, "directory")
    assert (finding.name, finding.status, finding.found) == ("writing", "note", "Read-only file system")


def test_run_with_void_attempts(tmp_path: Path) -> None:
    """The state of a run: how far it is, and which attempts its own side spoilt."""
    plan = make_plan()
    result = play(plan)
    directory = make_run(tmp_path, plan, result)
    stored, voids = examine_run(directory)
    assert "golden: 1 of 1 matches" in stored.found
    assert voids.status == "ok"
    with Store.create_or_open(directory) as store:
        store.attempt(result.key, "a worker process died")
    _, voids = examine_run(directory)
    assert voids.status == "note"
    assert f"{result.deal}: 1 time (a worker process died)" in voids.found


def test_run_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    """A file that is no database is named, and the exit code is 1."""
    (tmp_path / "run.sqlite").write_bytes(b"\x1b[31m" * 1000)
    outcome = CliRunner().invoke(command, [str(tmp_path)], catch_exceptions=False)
    assert outcome.exit_code == 1
    assert "run.sqlite" in outcome.output
    assert "\x1b" not in outcome.output


def test_directory_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    """Exit code 2."""
    assert CliRunner().invoke(command, [str(tmp_path / "none")]).exit_code == 2
