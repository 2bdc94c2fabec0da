"""What the tests of `ohhell run` share: a place with bots, the command as a process, and no process left behind."""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from runner.entrant import tree
from runner.tournament.results import compute_results
from runner.tournament.run import read_run

BOT = Path(__file__).with_name("tiny_bot.py")
OHHELL = (sys.executable, "-m", "runner")
TROUBLE = {"low": "low", "dies": "die?", "illegal": "illegal?", "garbage": "garbage?", "always-dies": "die"}
SECONDS = 60  # until a test that waits gives up


def wait_until(condition: Callable[[], Any], what: str = "the condition") -> Any:
    """Wait until `condition` returns something true and return it."""
    deadline = time.monotonic() + SECONDS
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} never came"
        time.sleep(0.005)
    return found


def descendants(root: int) -> set[int]:
    """Return all processes below `root`, dead ones that nobody has reaped too."""
    table = {pid: stat for pid in tree.pids() if (stat := tree.read_stat(pid)) is not None}
    found = {root}
    while more := {pid for pid, stat in table.items() if stat.parent in found} - found:
        found |= more
    return found - {root}


def children(pid: int) -> list[int]:
    """Return the children of a process: the workers of a run."""
    return [one for one in tree.pids() if (stat := tree.read_stat(one)) is not None and stat.parent == pid]


def alive(pid: int) -> bool:
    """Say whether process `pid` is there and no zombie."""
    stat = tree.read_stat(pid)
    return stat is not None and stat.state not in "ZX"


def _reap(found: set[int]) -> set[int]:
    """Return who of `found` lives, and reap those whose parent has left them to us."""
    for pid in found:
        stat = tree.read_stat(pid)
        if stat is not None and stat.state == "Z" and stat.parent == os.getpid():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
    return {pid for pid in found if alive(pid)}


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Fail a test that leaves a process behind, wherever it has got to."""
    tree.become_subreaper()
    before = descendants(os.getpid())
    yield
    deadline = time.monotonic() + 5  # who has been killed needs a moment to go
    while (left := _reap(descendants(os.getpid()) - before)) and time.monotonic() < deadline:
        time.sleep(0.01)
    told = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in left}
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not _reap(left))
    assert not told


@dataclass
class Place:
    """A directory with bots and one tournament file, and what is run there. `options` are more of Popen's."""

    root: Path
    options: dict[str, Any] = field(default_factory=dict)
    started: list["subprocess.Popen[str]"] = field(default_factory=list)

    def bot(self, name: str, habit: str = "") -> str:
        """Make the bot `name` with a habit of tiny_bot.py; return its path as the file names it."""
        directory = self.root / name
        directory.mkdir(exist_ok=True)
        shutil.copy(BOT, directory / "bot.py")
        command = ["python3", "-S", "-E", "bot.py", habit]
        (directory / "bot.yaml").write_text(f"command: {json.dumps(command)}\n")
        return name

    def troubled(self, *guests: str, **keys: Any) -> Path:
        """Write a file with bots that fault now and then, one that always does, and two that never do."""
        field = [self.gate(), *(self.bot(name, habit) for name, habit in TROUBLE.items())]
        return self.write([*field, *guests], **keys)

    def write(self, entrants: Any, **keys: Any) -> Path:
        """Write the tournament file cup.yaml; JSON is YAML too."""
        settings = {
            "name": "cup",
            "seed": "7",
            "table": 3,
            "rules": {"preset": "classic", "sizes": [2, 1]},
            "entrants": entrants,
            # Nothing here depends on how fast the machine is: only who never answers is out of time.
            "clocks": {"start_ms": 60_000, "move_ms": 60_000},
        }
        file = self.root / "cup.yaml"
        file.write_text(json.dumps(settings | keys, indent=1))
        return file

    def start(self, *words: str | Path, command: Sequence[str] = OHHELL, **keys: Any) -> "subprocess.Popen[str]":
        """Start `ohhell` (or another command) with these words, in a session of its own."""
        usual: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "start_new_session": True,
            "cwd": self.root,
        }
        popen = subprocess.Popen([*command, *map(str, words)], **(usual | self.options | keys))
        self.started.append(popen)
        return popen

    def ohhell(self, *words: str | Path, code: int = 0, **keys: Any) -> "subprocess.CompletedProcess[str]":
        """Run `ohhell` to its end, which must be exit code `code` and without a traceback."""
        return finish(self.start(*words, **keys), code)

    def play(self, *words: str | Path, code: int = 0, **keys: Any) -> "subprocess.CompletedProcess[str]":
        """Run the file `cup.yaml` into the directory `out`, if the words name no other."""
        words = words if "--out" in words else (*words, "--out", "out")
        return self.ohhell("run", "cup.yaml", *words, code=code, **keys)

    def standings(self, out: str = "out") -> str:
        """Return what `standings --json` prints, without the time that starting it takes."""
        with read_run(self.root / out) as (store, plan):
            return json.dumps(compute_results(store, plan).to_mapping(), indent=1)

    def rows(self, query: str, out: str = "out") -> list[tuple[Any, ...]]:
        """Return what a query of the results says; nothing while there are none."""
        try:
            with contextlib.closing(
                sqlite3.connect(f"file:{self.root / out / 'run.sqlite'}?mode=ro", uri=True)
            ) as connection:
                return connection.execute(query).fetchall()
        except sqlite3.OperationalError:
            return []

    def matches(self, out: str = "out") -> dict[bytes, tuple[Any, ...]]:
        """Return all that is stored of every match, by key; decision times are in the games' logs."""
        return {
            row[0]: row[1:]
            for row in self.rows(
                "select key, match, deal, decisions, (select group_concat(hex(log) || totals) from game"
                " where game.match = match.match) from match",
                out,
            )
        }

    def contents(self, out: str = "out") -> dict[str, Any]:
        """Return every file below a run's directory with what is in it; of the results every row."""
        found = {
            str(path.relative_to(self.root / out)): path.read_bytes()
            for path in (self.root / out).rglob("*")
            if path.is_file() and not path.name.startswith("run.sqlite")
        }
        tables = self.rows("select name from sqlite_master where type = 'table' order by name", out)
        return found | {table: self.rows(f"select * from {table} order by 1, 2", out) for (table,) in tables}

    def count(self, out: str = "out") -> int:
        """Return how many matches are stored."""
        return sum(one for (one,) in self.rows("select count(*) from match", out))

    def hold(self) -> None:
        """Have the bots with the habit `gate` wait at the start of their next game."""
        gate = self.root / "gate"
        gate.mkdir(exist_ok=True)
        for marker in gate.glob("held-*"):
            marker.unlink()
        (gate / "hold").touch()

    def gate(self, name: str = "gate-keeper") -> str:
        """Make a bot that can be held."""
        gate = self.root / "gate"
        gate.mkdir(exist_ok=True)
        gate.chmod(0o777)
        self.bot(name, "gate")
        (self.root / name / "gate.txt").write_text(str(gate))
        return name

    def wait_held(self) -> None:
        """Wait until a bot is held."""
        wait_until(lambda: list((self.root / "gate").glob("held-*")), "a bot at the gate")

    def release(self) -> None:
        """Let the bots go on."""
        (self.root / "gate" / "hold").unlink()

    def scratch_is_gone(self, out: str = "out") -> bool:
        """Say whether the bots' own directories are gone."""
        return not (self.root / out / "scratch").exists()


def finish(popen: "subprocess.Popen[str]", code: int = 0) -> "subprocess.CompletedProcess[str]":
    """Wait for `ohhell` to end; a traceback or another exit code fails the test."""
    try:
        out, err = popen.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        popen.kill()
        out, err = popen.communicate()
        raise AssertionError(f"did not end; stdout: {out}; stderr: {err}") from None
    assert "Traceback" not in out + err, err
    assert popen.returncode == code, f"exit {popen.returncode}, expected {code}; stdout: {out}; stderr: {err}"
    return subprocess.CompletedProcess(popen.args, popen.returncode, out, err)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A place to play in; what was started there is ended."""
    made = Place(tmp_path)
    yield made
    for popen in made.started:
        if popen.poll() is None:
            popen.kill()
        with popen:  # closes its pipes and waits
            pass


def _give_up_root_s_privileges() -> None:
    """Have file modes apply to root too: no CAP_DAC_OVERRIDE, _READ_SEARCH or _FOWNER for what is started now."""
    for capability in (1, 2, 3):
        assert ctypes.CDLL(None).prctl(24, capability, 0, 0, 0) == 0  # PR_CAPBSET_DROP


@pytest.fixture
def bound_by_modes(place: Place) -> Place:
    """A place where the modes of files and directories bind who runs."""
    if os.geteuid() == 0:
        place.options["preexec_fn"] = _give_up_root_s_privileges
    return place


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the standings of `Place.troubled`, played by one worker and left alone."""
    place = Place(tmp_path_factory.mktemp("undisturbed"))
    place.troubled()
    place.play("--workers", "1")
    return place.standings()


__all__ = ["Place", "alive", "children", "descendants", "finish", "wait_until"]
