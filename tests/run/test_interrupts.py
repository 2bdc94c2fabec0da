"""Whatever ends a run: what was played is kept, no process is left, and the next run goes on."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runner.entrant import tree
from tests.run.conftest import Place, alive, children, descendants, finish, wait_until

GO_ON = "Run the same command to go on."


def held_run(place: Place, daemons: str = "daemons in disguise") -> "subprocess.Popen[str]":
    """Start a run among bots that will not go, and hold it in a game after some matches."""
    place.write([place.gate(), place.bot("stubborn", "stubborn"), place.bot("daemons", daemons)], replicates=30)
    run = place.start("run", "cup.yaml", "--out", "out", "--workers", "2")
    wait_until(lambda: place.count() > 0, "a stored match")
    place.hold()
    wait_until(lambda: list((place.root / "gate").glob("held-*")) or run.poll() is not None)
    return run


def to_all(run: "subprocess.Popen[str]", number: int) -> None:
    """Signal the whole process group, as a terminal does."""
    os.killpg(run.pid, number)


def to_parent(run: "subprocess.Popen[str]", number: int) -> None:
    """Signal the parent only, as a service manager does."""
    run.send_signal(number)


@pytest.mark.parametrize(
    ("numbers", "send"),
    [
        ([signal.SIGINT], to_all),
        ([signal.SIGINT], to_parent),
        ([signal.SIGINT, signal.SIGINT], to_all),
        ([signal.SIGTERM], to_parent),
        ([signal.SIGHUP], to_all),
        ([signal.SIGTERM, signal.SIGHUP, signal.SIGINT], to_parent),
    ],
)
def test_interrupted(place: Place, numbers: list[int], send: "type") -> None:
    """Ctrl-C, twice too, a polite end or a lost terminal: exit 130, told how to go on, nobody left, nothing lost."""
    run = held_run(place)
    below = descendants(run.pid)
    for number in numbers:
        send(run, number)
    told = finish(run, 130).stderr
    assert GO_ON in told
    assert f"{place.count()} of 30 matches are stored" in told
    assert not [pid for pid in below if alive(pid)]
    assert place.scratch_is_gone()
    assert sorted(path.name for path in (place.root / "out").iterdir()) == ["run.sqlite", "snapshots"]
    stored = place.matches()
    place.release()
    place.play()
    assert place.count() == 30
    assert {key: place.matches()[key] for key in stored} == stored


def test_ignored_from_the_start(place: Place) -> None:
    """What whoever started us had us ignore ends nothing: `nohup`, or a shell's background; bots are as always."""

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    place.write([place.gate(), place.bot("a"), place.bot("b", "low")], replicates=3)
    place.hold()
    run = place.start("run", "cup.yaml", "--out", "out", preexec_fn=ignore)
    place.wait_held()
    to_all(run, signal.SIGHUP)
    to_all(run, signal.SIGINT)
    place.release()
    finish(run)
    assert place.count() == 3


def test_nobody_reads_what_is_said(place: Place) -> None:
    """A reader of standard error that has gone, or a full disk there, does not end a run."""
    place.write([place.bot("a", "illegal"), place.bot("b", "low"), place.bot("c")], replicates=3)
    reader, writer = os.pipe()
    os.close(reader)
    full = os.open("/dev/full", os.O_WRONLY)
    for number, stderr in enumerate((writer, full)):
        run = place.start("run", "cup.yaml", "--out", str(number), stderr=stderr)
        os.close(stderr)
        out, _ = run.communicate(timeout=60)
        assert run.returncode == 0
        assert "entrant" in out
        assert place.count(str(number)) == 3


def test_interrupted_while_starting(place: Place) -> None:
    """Ctrl-C while bots are built or workers begin: exit 130, nothing left, and no trace of a traceback."""
    place.write([place.gate(), place.bot("a"), place.bot("b", "low")])
    manifest = place.root / "a" / "bot.yaml"
    manifest.write_text(manifest.read_text() + "build: [python3, -S, -c, 'import time; time.sleep(600)']\n")
    run = place.start("run", "cup.yaml", "--out", "out")
    build = wait_until(lambda: children(run.pid))
    to_all(run, signal.SIGINT)
    assert "interrupted" in finish(run, 130).stderr
    wait_until(lambda: not any(map(alive, build)), "the end of the build")


def test_interrupted_when_workers_begin(place: Place) -> None:
    """Ctrl-C to the whole group at the moment the first worker is there says nothing but that it was interrupted."""
    place.write([place.bot("a"), place.bot("b", "low"), place.bot("c")], replicates=50)
    for _ in range(3):
        run = place.start("run", "cup.yaml", "--out", "out", "--workers", "3")
        wait_until(lambda run=run: children(run.pid) or run.poll() is not None)
        to_all(run, signal.SIGINT)
        told = finish(run, 130).stderr
        assert [line for line in told.splitlines() if line][-2:] == [
            f"Interrupted: {place.count()} of 50 matches are stored. {GO_ON}",
            "ohhell: interrupted",
        ]


def test_parent_killed(place: Place) -> None:
    """A killed parent takes workers and bots along; what its bots have hidden the next run ends, and says so."""
    run = held_run(place, "daemon")
    workers = children(run.pid)
    run.kill()
    run.communicate()
    wait_until(lambda: not any(map(alive, workers)), "the end of the workers")
    hidden = wait_until(lambda: homes_below(place.root / "out" / "scratch"), "what the bots have hidden")
    place.release()
    again = place.play()
    assert not any(map(alive, hidden))
    assert "of an earlier run into this directory ended" in again.stderr
    assert place.count() == 30
    assert place.scratch_is_gone()


def homes_below(scratch: Path) -> list[int]:
    """Return the processes that have a directory below `scratch` as HOME: bots and what they have started."""
    found = []
    for pid in tree.pids():
        with contextlib.suppress(OSError):
            if b"HOME=" + bytes(scratch.resolve()) in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(pid)
    return found


def test_bots_that_stay_end_together(place: Place) -> None:
    """Bots that ignore the end of their input share one grace of half a second, however many they are."""
    names = [place.bot(f"stubborn-{number}", "stubborn") for number in range(4)]
    place.write(names, replicates=2)
    place.play("--workers", "1")
    assert place.count() == 8
    assert place.scratch_is_gone()


@pytest.mark.parametrize("depth", [1, 2_100])
def test_directories_are_gone_after_a_whole_run(bound_by_modes: Place, depth: int) -> None:
    """What a bot leaves in its scratch directory is removed: directories it has locked, and however deep."""
    place = bound_by_modes
    place.write([place.bot("locked", f"nested {depth}"), place.bot("a"), place.bot("b", "low")])
    place.play()
    assert place.count() == 1
    assert place.scratch_is_gone()


def test_daemons_are_gone_after_a_whole_run(place: Place) -> None:
    """Grandchildren by double fork, their environment thrown away or not, do not outlive a run (the fixture looks)."""
    place.write([place.bot("daemons", "daemons in disguise"), place.bot("a"), place.bot("b", "low")])
    place.play()
    assert place.scratch_is_gone()


def test_bot_that_kills_its_worker(place: Place) -> None:
    """It is tried three times; then its matches are left out and named, the others are played, and exit is 3."""
    names = [place.bot("a"), place.bot("b", "low"), place.bot("c"), place.bot("killer", "kill_worker")]
    place.write(names)
    told = place.play("--workers", "2", code=3).stderr
    left_out = next(line for line in told.splitlines() if line.startswith("Left out"))
    assert left_out.count("killer") == 3
    assert "The next run tries them again." in left_out
    assert place.count() == 1
    assert not place.rows("select * from fault")
    attempts = place.rows("select count(*), min(why) from attempt group by key order by 1")
    assert [count for count, _ in attempts if count == 3] == [3, 3, 3]
    assert {why for _, why in attempts} == {"a worker process died"}
    place.play("--workers", "2", code=3)
    assert sum(count for (count,) in place.rows("select count(*) from attempt")) >= 18
    place.bot("killer", "low")
    place.play()
    assert place.count() == 4


def test_worker_killed_while_it_hands_in_a_result(place: Place) -> None:
    """Half a result in the pipe holds nobody up: what it came from is played again."""
    # A match with this many notes fills a pipe by itself.
    names = [place.bot(name, "notes") for name in "abc"]
    place.write(names, replicates=6, rules={"preset": "classic", "sizes": [13] * 7})
    run = place.start("run", "cup.yaml", "--out", "out", "--workers", "1")
    wait_until(lambda: place.count() > 0)
    worker = children(run.pid)[0]
    run.send_signal(signal.SIGSTOP)
    wchan = Path(f"/proc/{worker}/wchan")
    wait_until(lambda: "pipe_write" in wchan.read_text(), "a worker that waits for its reader")
    os.kill(worker, signal.SIGKILL)
    run.send_signal(signal.SIGCONT)
    assert "a worker process died" in finish(run).stderr
    assert place.count() == 6


SUBMIT_AFTER_A_DEATH = """
import multiprocessing
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from runner.tournament.config import load_tournament
from runner.tournament.crew import Crew
from runner.tournament.run import open_run

with open_run(load_tournament(Path("cup.yaml")), Path("out")) as run:
    match = next(iter(run.plan.matches(run.known.faulted)))
    crew = Crew(run.plan, run.launches, 1)
    first = crew.submit([match]).result().results
    (worker,) = multiprocessing.active_children()
    worker.kill()
    worker.join()
    failures = [crew.submit([match]).exception() for _ in range(2)]
    assert all(isinstance(failure, BrokenProcessPool) for failure in failures), failures
    crew.kill()
    assert [game.totals for game in crew.submit([match]).result().results[0].games] == [
        game.totals for game in first[0].games
    ]
    crew.close()
"""


def test_worker_killed_while_idle(place: Place) -> None:
    """Work given out after a worker has died fails like what was in play, so that it is given out again."""
    place.write([place.bot("a"), place.bot("b", "low"), place.bot("c")])
    finish(place.start(command=[sys.executable, "-c", SUBMIT_AFTER_A_DEATH]))
