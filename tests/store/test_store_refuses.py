"""Files that cannot be used are refused in one sentence that says what, where and what to do."""

import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.store.errors import StoreError, StoreFullError
from runner.store.schema import VERSION
from runner.store.store import Store

from .conftest import key_of, make_result

ROOT = Path(__file__).resolve().parents[2]


def refusal(open_store, directory: Path) -> str:
    with pytest.raises(StoreError) as caught:
        open_store(directory)
    message = str(caught.value)
    assert caught.value.exit_code == 2
    assert "\n" not in message
    assert message.endswith(".")
    assert str(directory) in message
    return message


both = pytest.mark.parametrize("open_store", [Store.create_or_open, Store.open_readonly])


@both
def test_a_file_that_is_no_database(open_store, tmp_path: Path) -> None:
    """Text in its place is not touched."""
    (tmp_path / "run.sqlite").write_text("hello " * 500)
    assert "is not a run's results (file is not a database)" in refusal(open_store, tmp_path)
    assert (tmp_path / "run.sqlite").read_text() == "hello " * 500


@both
def test_a_database_of_somebody_else(open_store, tmp_path: Path) -> None:
    """Another program's tables are left as they are."""
    connection = sqlite3.connect(tmp_path / "run.sqlite")
    connection.execute("create table photo(name)")
    connection.close()
    assert "some other database" in refusal(open_store, tmp_path)


@both
def test_a_newer_form(open_store, tmp_path: Path) -> None:
    """A file of a later version is not guessed at."""
    Store.create_or_open(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "run.sqlite")
    connection.execute(f"pragma user_version = {VERSION + 1}")
    connection.close()
    message = refusal(open_store, tmp_path)
    assert "newer version of the runner" in message
    assert "Upgrade" in message


def test_nothing_there_to_read(tmp_path: Path) -> None:
    """Reading makes neither a file nor a directory."""
    assert "There is no run in" in refusal(Store.open_readonly, tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_a_run_not_begun(tmp_path: Path) -> None:
    """A process killed while it made the file leaves it empty: writing begins anew, reading is refused."""
    (tmp_path / "run.sqlite").touch()
    assert "some other database" in refusal(Store.open_readonly, tmp_path)
    Store.create_or_open(tmp_path).close()
    Store.open_readonly(tmp_path).close()


@both
def test_a_directory_in_the_files_place(open_store, tmp_path: Path) -> None:
    """What is no file at all is refused as well."""
    (tmp_path / "run.sqlite").mkdir()
    message = refusal(open_store, tmp_path)
    assert "cannot be opened" in message or "There is no run in" in message


def test_a_file_in_the_directorys_place(tmp_path: Path) -> None:
    """The system's own reason is passed on."""
    (tmp_path / "run").write_text("")
    assert "File exists" in refusal(Store.create_or_open, tmp_path / "run")


def test_damage_is_told_when_it_is_met(tmp_path: Path) -> None:
    """Pages overwritten in the middle, and a file cut short, give an error and not a wrong answer."""
    with Store.create_or_open(tmp_path) as store:
        store.write([make_result(number) for number in range(30)])
    path = tmp_path / "run.sqlite"
    whole = path.read_bytes()

    def read_all() -> None:
        with Store.open_readonly(tmp_path) as store:
            for number in range(30):
                assert store.result(key_of(number)) == make_result(number)

    read_all()
    for broken in (whole[:8192] + b"\xa5" * 60_000 + whole[68_192:], whole[: len(whole) // 2]):
        path.write_bytes(broken)
        with pytest.raises(StoreError, match="is damaged"):
            read_all()


def test_a_game_that_makes_no_sense_is_damage_too(store: Store) -> None:
    """JSON that is not what was written is told with its place."""
    store.write([make_result(1)])
    connection = sqlite3.connect(store.path)
    connection.execute("update game set hands = '[[10,7]]' where rotation = 2")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="holds a game that cannot be read"):
        store.result(key_of(1))


def test_another_tournaments_directory(store: Store) -> None:
    """The first claim stays; a claim to the contrary is refused with both values."""
    store.claim("name", "spring cup")
    store.claim("name", "spring cup")
    with pytest.raises(StoreError, match="another tournament: its name is spring cup, not autumn cup") as caught:
        store.claim("name", "autumn cup")
    assert caught.value.exit_code == 2
    assert store.get("name") == "spring cup"


def run_python(code: str, *arguments: object) -> list[str]:
    """Return the lines that `code` prints in a process of its own, which may give up rights or set limits."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def public_dir() -> Iterator[Path]:
    """A directory that other users may enter, as pytest's own may not be."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


READ_ONLY = """
import os, sys
from pathlib import Path
from runner.store.errors import StoreError
from runner.store.store import Store
directory = Path(sys.argv[1])
if os.geteuid() == 0:  # whom permissions do not stop
    os.setuid(65534)
with Store.open_readonly(directory) as store:
    print(len(list(store.keys())))
try:
    with Store.create_or_open(directory) as store:
        store.set("name", "x")
except StoreError as error:
    print(error)
"""


def test_a_finished_run_in_a_read_only_directory(public_dir: Path) -> None:
    """Anybody can read it; writing to it is refused."""
    run = public_dir / "run"
    with Store.create_or_open(run) as store:
        store.write([make_result(1), make_result(2)])
    (run / "run.sqlite").chmod(0o444)
    run.chmod(0o555)
    told = run_python(READ_ONLY, run)
    run.chmod(0o755)
    assert told[0] == "2"
    assert "cannot be written to" in told[1]
    assert [path.name for path in run.iterdir()] == ["run.sqlite"]


@pytest.mark.parametrize("replace", [False, True])
def test_results_that_are_removed_while_they_are_written(tmp_path: Path, replace: bool) -> None:
    """Nothing is written to a file that nobody can find any more."""
    with Store.create_or_open(tmp_path) as store:
        store.write([make_result(1)])
        (tmp_path / "run.sqlite").rename(tmp_path / "away")
        if replace:
            (tmp_path / "run.sqlite").touch()
        with pytest.raises(StoreError, match="has been removed or moved"):
            store.write([make_result(2)])


def test_a_full_disk_stops_with_what_was_stored_before(tmp_path: Path) -> None:
    """The batch that did not fit is not there, not in part either; with room again it goes in. Exit code 3."""
    store = Store.create_or_open(tmp_path)
    store.write([make_result(1)])
    store._connection.execute("pragma max_page_count = 10")
    with pytest.raises(StoreFullError, match=r"kept\. Make room and run again") as caught:
        store.write([make_result(number) for number in range(2, 40)])
    assert caught.value.exit_code == 3
    assert list(store.keys()) == [key_of(1)]
    store._connection.execute("pragma max_page_count = 100000")
    assert store.write([make_result(2)]) == 1
    store.close()


LIMITED = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, "tests")
from store.conftest import make_result
from runner.store.errors import StoreFullError
from runner.store.store import Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
try:
    Store.create_or_open(Path(sys.argv[1])).write([make_result(number) for number in range(2, 60)])
except StoreFullError as error:
    print(error.exit_code)
"""


def test_a_write_that_the_system_refuses_is_a_full_disk_too(tmp_path: Path) -> None:
    """A real limit on the size of files, as a quota would be, in a process of its own."""
    with Store.create_or_open(tmp_path) as store:
        store.write([make_result(1)])
    assert run_python(LIMITED, tmp_path) == ["3"]
    with Store.create_or_open(tmp_path) as store:
        assert list(store.keys()) == [key_of(1)]
        assert store.write([make_result(number) for number in range(2, 60)]) == 58
