"""Killed at any moment, a run leaves whole matches, and the next one goes on from them."""

import errno
import fcntl
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from runner.store.errors import StoreError
from runner.store.lock import LOCK_FILE, RunLock
from runner.store.store import Store

from .conftest import key_of, make_result

ROOT = Path(__file__).resolve().parents[2]

# Writes batches of ten without end; says so after each, and, if told to, in the midst of one.
WRITER = """
import itertools, sys
from pathlib import Path
sys.path.insert(0, "tests")
from store.conftest import make_result
from runner.store import rows
from runner.store.database import transaction
from runner.store.store import Store
store = Store.create_or_open(Path(sys.argv[1]))
for batch in itertools.count():
    results = [make_result(number) for number in range(batch * 10, batch * 10 + 10)]
    if sys.argv[2] == "within" and batch == 3:
        with transaction(store._connection):
            for result in results[:5]:
                rows.write_match(store._connection, result)
            print("stop", flush=True)
            sys.stdin.read()
    store.write(results)
    print(batch, flush=True)
"""


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL


def whole_batches(store: Store) -> int:
    """Return how many matches are stored, after checking that they are the first ones and each is whole."""
    stored = set(store.keys())
    assert stored == {key_of(number) for number in range(len(stored))}
    assert len(stored) % 10 == 0
    for number in range(len(stored)):
        assert store.result(key_of(number)) == make_result(number)
    return len(stored)


@pytest.mark.parametrize("last_line", ["0", "2", "4"])
def test_a_writer_killed_while_it_writes(tmp_path: Path, last_line: str) -> None:
    """What was reported as stored is stored, at most one more batch, and reading needs no repair before."""
    process = started(WRITER, tmp_path, "on")
    assert process.stdout
    for line in process.stdout:
        if line.strip() == last_line:
            break
    killed(process)
    reported = 10 * (int(last_line) + 1)
    with Store.open_readonly(tmp_path) as reader:
        stored = whole_batches(reader)
    assert stored >= reported
    with Store.create_or_open(tmp_path) as store:
        assert whole_batches(store) == stored
        assert store.write([make_result(number) for number in range(stored + 10)]) == 10
        assert whole_batches(store) == stored + 10
    assert [path.name for path in tmp_path.iterdir()] == ["run.sqlite"]


def test_a_writer_killed_within_a_transaction(tmp_path: Path) -> None:
    """Five matches of the fourth batch were written and not committed: none of them is there."""
    process = started(WRITER, tmp_path, "within")
    assert process.stdout
    assert [process.stdout.readline().strip() for _ in range(4)] == ["0", "1", "2", "stop"]
    killed(process)
    with Store.create_or_open(tmp_path) as store:
        assert whole_batches(store) == 30


HOLDER = """
import sys
from pathlib import Path
from runner.store.lock import RunLock
lock = RunLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_run_is_kept_out_until_the_first_is_gone(tmp_path: Path) -> None:
    """A real second process holds the lock; its number is told; killed, it holds nothing."""
    directory = tmp_path / "run"
    process = started(HOLDER, directory)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    with pytest.raises(StoreError, match="is being played into by another run") as caught:
        RunLock(directory)
    assert caught.value.exit_code == 2
    if Path("/proc/locks").exists():
        assert f"(process {process.pid})" in str(caught.value)
    killed(process)
    with RunLock(directory):
        assert list(directory.iterdir()) == []


def test_a_released_lock_is_free_though_a_child_inherited_it(tmp_path: Path) -> None:
    """A forked worker that outlives the run does not keep the directory locked."""
    lock = RunLock(tmp_path)
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=[lock._fd]) as child:
        lock.release()
        lock.release()
        RunLock(tmp_path).release()
        assert child.poll() is None


def test_a_file_stands_in_where_directories_cannot_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On NFS the lock of a directory is refused (EBADF): an empty file takes its place and works the same."""
    real = fcntl.flock

    def flock(fd: int, operation: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(errno.EBADF, "Bad file descriptor")
        real(fd, operation)

    monkeypatch.setattr("runner.store.lock.fcntl.flock", flock)
    with RunLock(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == [LOCK_FILE]
        with pytest.raises(StoreError, match="is being played into"):
            RunLock(tmp_path)
    RunLock(tmp_path).release()


def test_a_write_ahead_log_that_is_refused_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's dot-file locks, made for network file systems, allow no such log; everything is stored all the same."""

    def connect(path: Path, mode: str) -> sqlite3.Connection:
        return sqlite3.connect(f"{path.as_uri()}?mode={mode}&vfs=unix-dotfile", uri=True, isolation_level=None)

    monkeypatch.setattr("runner.store.database._connect", connect)
    with Store.create_or_open(tmp_path) as store:
        store.write([make_result(1)])
        assert not (tmp_path / "run.sqlite-wal").exists()
    with Store.open_readonly(tmp_path) as reader:
        assert reader.has(key_of(1))
