"""Temporary directories: gone at the end, and removed by the next command where a killed one has left them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runner.entrant.temporary import MARK, PREFIX, temporary_directory

OWNER = """
import subprocess, sys
from runner.entrant.temporary import temporary_directory
with temporary_directory() as temporary:
    (temporary.path / "home").mkdir()
    home = {"HOME": str(temporary.path / "home")}
    child = subprocess.Popen(["sleep", "60"], env=home, stdout=subprocess.DEVNULL, start_new_session=True)
    print(temporary.path, child.pid, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def start_owner() -> "tuple[subprocess.Popen[str], Path, int]":
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert owner.stdout is not None
    path, child = owner.stdout.readline().split()
    return owner, Path(path), int(child)


def end(owner: "subprocess.Popen[str]") -> None:
    owner.kill()
    owner.communicate(timeout=60)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_it_is_gone_after_the_block(parent: Path) -> None:
    with temporary_directory() as temporary:
        (temporary.path / "a" / "b").mkdir(parents=True)
        (temporary.path / "a").chmod(0o500)
        assert temporary.path.parent == parent
        assert temporary.removed == ()
    assert list(parent.iterdir()) == []


def test_what_a_killed_owner_left_is_removed_and_said(parent: Path) -> None:
    """Its processes are ended too."""
    owner, left, child = start_owner()
    try:
        end(owner)
        assert left.is_dir()
        with temporary_directory() as temporary:
            assert temporary.removed == (left,)
            assert temporary.notes == (f"Removed {left}, which a killed ohhell had left.",)
            assert not left.exists()
            assert not is_running(child)
    finally:
        if is_running(child):
            os.kill(child, signal.SIGKILL)


def test_that_of_a_living_owner_is_left_alone(parent: Path) -> None:
    owner, used, child = start_owner()
    try:
        with temporary_directory() as temporary:
            assert temporary.removed == ()
            assert (used / MARK).is_file()
            assert is_running(child)
        assert owner.stdin is not None
        owner.communicate(timeout=60)
        assert owner.returncode == 0
        assert list(parent.iterdir()) == []
        assert not is_running(child)
    finally:
        end(owner)


def test_a_directory_of_somebody_elses_making_is_left_alone(parent: Path) -> None:
    """The name alone proves nothing, and a link is never followed."""
    mine, target = parent / f"{PREFIX}practice", parent / "kept"
    for directory in (mine, target):
        directory.mkdir()
    (target / MARK).touch()
    link = parent / f"{PREFIX}link"
    link.symlink_to(target)
    with temporary_directory() as temporary:
        assert temporary.removed == ()
    assert mine.is_dir()
    assert link.is_symlink()
    assert (target / MARK).is_file()


@pytest.mark.parametrize(("where", "name"), [(Path, "touch"), (os, "open")])
def test_no_place_for_one_leaves_nothing(
    parent: Path, monkeypatch: pytest.MonkeyPatch, where: object, name: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as lacking:
        lacking.setattr(where, name, refuse)
        with pytest.raises(OSError, match="No space left"), temporary_directory():
            pytest.fail("there is none to be had")
    assert list(parent.iterdir()) == []
