"""What a run cannot work with: one line that says what, where and what to do; nothing lost, nothing half written."""

import contextlib
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.run.conftest import Place, finish


def field(place: Place, **keys: Any) -> None:
    place.write([place.bot("a"), place.bot("b", "low"), place.bot("c"), place.bot("d")], **keys)


def refused(place: Place, code: int = 2, **keys: Any) -> str:
    """Run, which must be refused in one line; return that line."""
    told = place.play(code=code, **keys).stderr
    assert told.count("\n") == 1, told
    assert told.startswith("ohhell: ")
    assert "internal error" not in told
    return told


def test_corrupt_results(place: Place) -> None:
    """Results that are no database, or a damaged one, are refused and left as they are."""
    field(place)
    place.play()
    file = place.root / "out" / "run.sqlite"
    whole = file.read_bytes()
    for broken in (b"not a database at all" * 100, whole[:4096] + b"\xff" * (len(whole) - 4096)):
        file.write_bytes(broken)
        told = refused(place)
        assert "out/run.sqlite" in told
        assert "Move it away" in told or "move it away" in told
        assert file.read_bytes()[100:] == broken[100:]  # the header has the kind of journal in it
    file.write_bytes(whole)
    assert "nothing to play" in place.play().stderr


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("checkpoint set state = '[1,2]'", ("standings",)),
        ("checkpoint set prefix = 1.5", ("standings", "--json")),
        ("match set games = 'null'", ("standings",)),
        ("match set hands = 'x'", ("run",)),
        ("seat set entrant = 'nobody'", ("standings",)),
        ("seat set entrant = 'nobody'", ("run",)),
        ("game set log = 'null'", ("standings", "--times")),
        ("game set log = x'00'", ("replay", "1")),
        ("run set v = '[]'", ("standings",)),
    ],
)
def test_results_that_make_no_sense(place: Place, damage: str, words: tuple[str, ...]) -> None:
    """Damage that SQLite does not see is told like damage that it does, by whatever comes upon it."""
    field(place)
    place.play()
    with contextlib.closing(sqlite3.connect(place.root / "out" / "run.sqlite")) as connection, connection:
        connection.execute(f"update {damage}")
    command, *more = words
    told = place.play(code=2) if command == "run" else place.ohhell(command, "out", *more, code=2)
    last = told.stderr.splitlines()[-1]
    assert last.startswith("ohhell: ")
    assert "damaged" in last or "other terms" in last
    assert "internal error" not in told.stderr


def test_patterns_and_bots_without_rights(bound_by_modes: Place) -> None:
    """What may be listed but not looked at is no bot; a run's results that may not be seen are none."""
    place = bound_by_modes
    (place.root / "field").mkdir()
    for name in "abc":
        place.bot(f"field/{name}")
    place.write(["field/*"])
    (place.root / "field").chmod(0o444)
    assert "No bot matches `field/*`" in refused(place)
    assert "internal error" not in place.ohhell("doctor", "field").stderr
    (place.root / "field").chmod(0o755)
    place.play()
    assert place.count() == 1


def test_results_of_a_newer_version(place: Place) -> None:
    """Results in a later form are refused, with what to do."""
    field(place)
    place.play()
    with contextlib.closing(sqlite3.connect(place.root / "out" / "run.sqlite")) as connection:
        connection.execute("pragma user_version = 99")
    before = place.contents()
    told = refused(place)
    assert "newer version" in told
    assert "Upgrade" in told
    assert place.contents() == before


def test_results_of_something_else(place: Place) -> None:
    """Another program's database is not ours to write into."""
    field(place)
    (place.root / "out").mkdir()
    with contextlib.closing(sqlite3.connect(place.root / "out" / "run.sqlite")) as connection:
        connection.execute("create table treasure(x)")
    assert "some other database" in refused(place)


def test_directory_with_other_files(place: Place) -> None:
    """A directory that holds anything else is not played into."""
    field(place)
    (place.root / "out").mkdir()
    (place.root / "out" / "thesis.txt").write_text("all of it")
    assert "--out" in refused(place)
    assert [path.name for path in (place.root / "out").iterdir()] == ["thesis.txt"]


def test_out_is_a_file(place: Place) -> None:
    """A file in the directory's place is told, not overwritten."""
    field(place)
    (place.root / "out").write_text("mine")
    assert "out" in refused(place)
    assert (place.root / "out").read_text() == "mine"


def test_directory_without_rights(bound_by_modes: Place) -> None:
    """A run directory that may not be written to, or not even be looked into, is refused with its path."""
    field(bound_by_modes)
    bound_by_modes.play()
    before = bound_by_modes.contents()
    field(bound_by_modes, replicates=2)
    (bound_by_modes.root / "out").chmod(0o000)
    assert "'out' is not readable" in bound_by_modes.play(code=2).stderr
    (bound_by_modes.root / "out").chmod(0o555)
    assert "out" in refused(bound_by_modes)
    (bound_by_modes.root / "out").chmod(0o755)
    assert bound_by_modes.contents() == before
    bound_by_modes.play()
    assert bound_by_modes.count() == 8


def test_no_right_to_make_the_directory(bound_by_modes: Place) -> None:
    """Where no directory can be made, that is said."""
    field(bound_by_modes)
    bound_by_modes.root.chmod(0o555)
    assert "Permission denied" in refused(bound_by_modes)
    bound_by_modes.root.chmod(0o755)


def test_results_without_rights(bound_by_modes: Place) -> None:
    """Results that may not be written to are refused; reading them still works."""
    field(bound_by_modes)
    bound_by_modes.play()
    (bound_by_modes.root / "out" / "run.sqlite").chmod(0o444)
    field(bound_by_modes, replicates=2)
    assert "cannot be written to" in refused(bound_by_modes)
    bound_by_modes.ohhell("standings", "out")


@pytest.fixture
def small_disk(place: Place) -> Iterator[Callable[[int], None]]:
    """Return what makes `out` a disk of so many KiB, or changes its size."""
    out = place.root / "out"
    out.mkdir()

    def resize(kib: int) -> None:
        options = f"{'remount,' if os.path.ismount(out) else ''}size={kib}k"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(out)], check=True, capture_output=True)

    try:
        resize(64)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no disk can be mounted here ({error}); the file size limit is tested all the same")
    yield resize
    subprocess.run(["umount", "-l", str(out)], check=True)


def test_disk_full(place: Place, small_disk: Callable[[int], None]) -> None:
    """A disk that is full, at whatever moment, stops the run with exit 3; with more room it goes on to the same end."""
    field(place, replicates=20)
    place.play("--out", "whole")
    stored = 0
    for kib in (64, 128, 192, 256, 320, 512, 8192):
        small_disk(kib)
        run = place.start("run", "cup.yaml", "--out", "out", "--workers", "2")
        _, err = run.communicate(timeout=60)
        if run.returncode == 0:
            break
        assert run.returncode == 3, err
        assert "Traceback" not in err
        assert "internal error" not in err
        assert "No space left" in err or "full" in err, err
        assert "run again" in err
        if place.rows("pragma integrity_check"):
            assert place.rows("pragma integrity_check") == [("ok",)]
            assert place.count() >= stored
            stored = place.count()
    assert place.standings() == place.standings("whole")


@pytest.mark.parametrize("kib", [16, 100, 200])
def test_file_size_limit(place: Place, kib: int) -> None:
    """A limit on the size of files is told like a full disk; without it the run goes on."""
    field(place, replicates=40)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (kib * 1024, kib * 1024))

    told = place.play(code=3, preexec_fn=limit).stderr
    assert told.splitlines()[-1].startswith("ohhell: ")
    assert "internal error" not in told
    assert "run again" in told
    if (place.root / "out" / "run.sqlite").exists():
        shutil.copytree(place.root / "out", place.root / "copy")
        assert place.rows("pragma integrity_check", "copy") in ([("ok",)], [])
    place.play()
    assert place.count() == 160


BAD_FILES = {
    "empty": "",
    "not yaml": "a: [",
    "binary": "\x00\x01",
    "a list": "- a",
    "unknown key": "entrants: [a, b, c]\ncolour: red\n",
    "no bot": "entrants: [nobody-here]\n",
    "wrong types": "entrants: 7\ntable: many\nreplicates: -1\nclocks: soon\n",
    "bad rules": "entrants: [a]\nrules: {preset: bridge}\n",
    "deep": "[" * 10_000,
    "bomb": "a: &a [x,x]\nb: &b [*a,*a]\nentrants: [*b,*b]\n",
}


@pytest.mark.parametrize("text", BAD_FILES.values(), ids=BAD_FILES.keys())
def test_bad_file(place: Place, text: str) -> None:
    """Whatever is in the file, it is told by line, with exit 2, and no directory is made."""
    field(place)
    (place.root / "cup.yaml").write_text(text)
    told = place.play(code=2).stderr
    assert "cup.yaml:" in told
    assert "internal error" not in told
    assert not (place.root / "out").exists()


@pytest.mark.parametrize(
    "words", [("run",), ("run", "nothing.yaml"), ("run", "."), ("run", "cup.yaml", "--workers", "0")]
)
def test_bad_words(place: Place, words: tuple[str, ...]) -> None:
    """A command that makes no sense is exit 2 with a sentence."""
    field(place)
    told = place.ohhell(*words, code=2).stderr
    assert told
    assert "internal error" not in told


# A machine that has no more processes or threads for us, each time at another place.
WITHOUT = {
    "a thread for the log": "threading.Thread.start = lack",
    "a worker": "multiprocessing.popen_fork.Popen._launch = lack_process",
    "the executor's thread": "concurrent.futures.process._ExecutorManagerThread.start = lack",
    "the thread that gives out": (
        "def start(self, here=multiprocessing.queues.Queue._start_thread):\n"
        "    here(self) if threading.current_thread() is threading.main_thread() else lack(self)\n"
        "multiprocessing.queues.Queue._start_thread = start"
    ),
}
LACKING = """
import concurrent.futures.process, errno, multiprocessing, multiprocessing.popen_fork, sys, threading
def lack(self):
    raise RuntimeError("can't start new thread")
def lack_process(self, started):
    raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
{lack}
from runner.cli import main
main(["run", "cup.yaml", "--out", "out", "--workers", "2"])
"""


@pytest.mark.parametrize("lack", WITHOUT.values(), ids=WITHOUT.keys())
def test_without_processes_or_threads(place: Place, lack: str) -> None:
    """What cannot be started stops the run with exit 3 and a sentence; nothing waits for it, and the run goes on."""
    field(place)
    command = (sys.executable, "-c", LACKING.format(lack=lack))
    told = finish(place.start(command=command), 3).stderr
    # Without a thread, Python 3.13's executor calls its workers dead, and the matches are left out.
    ends = ("ohhell: A worker process could not go on (", "Left out, because every attempt ended with a dead worker")
    assert told.splitlines()[-1].startswith(ends)
    assert "Traceback" not in told
    place.play()
    assert place.count() == 4
