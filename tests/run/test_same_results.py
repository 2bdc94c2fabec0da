"""The same file and seed give the same standings, byte for byte, whatever happens on the way."""

import os
import signal
from contextlib import suppress

import pytest

from tests.run.conftest import Place, alive, children, finish, wait_until


@pytest.mark.parametrize("workers", [2, 5])
def test_any_number_of_workers(place: Place, undisturbed: str, workers: int) -> None:
    """1, 2 and 5 workers give the same bytes, with faults and disqualifications in play."""
    place.troubled()
    place.play("--workers", str(workers))
    shown = place.ohhell("standings", "out", "--json").stdout
    assert shown == undisturbed + "\n"
    assert '"died"' in shown
    assert '"illegal"' in shown
    assert '"garbage"' in shown
    assert '"disqualified": true' in shown


def test_timeouts(place: Place) -> None:
    """A bot that now and then never answers is out of time in the same matches for any number of workers."""
    clocks = {"start_ms": 1_000, "move_ms": 500, "move_wall_ms": 60_000}
    entrants = [place.bot("a"), place.bot("b", "low"), place.bot("c"), place.bot("hangs", "hang?")]
    place.write(entrants, clocks=clocks)
    for workers in ("1", "2"):
        place.play("--workers", workers, "--out", f"out-{workers}")
    assert '"timeout"' in place.standings("out-1")
    assert place.standings("out-2") == place.standings("out-1")


def test_parent_killed_again_and_again(place: Place, undisturbed: str) -> None:
    """A run whose parent is killed at any moment, start-up included, comes to the same end when it is run again."""
    place.troubled()
    for moment in range(12):
        run = place.start("run", "cup.yaml", "--out", "out", "--workers", "2")
        # A moment is a state of the run, not a time.
        stored, stage = place.count(), moment % 4
        wait_until(
            lambda run=run, stage=stage, stored=stored: (
                run.poll() is not None
                or (stage == 0 and (place.root / "out").exists())
                or (stage == 1 and children(run.pid))
                or (stage > 1 and place.count() > stored)
            )
        )
        run.kill()
        run.communicate()
        if run.returncode == 0:
            break
    place.play("--workers", "2")
    assert place.standings() == undisturbed


def test_worker_killed_in_a_match(place: Place, undisturbed: str) -> None:
    """A worker killed in the middle of a match costs nothing but time: nobody is blamed, the standings are the same."""
    place.troubled()
    place.hold()
    run = place.start("run", "cup.yaml", "--out", "out", "--workers", "2")
    place.wait_held()
    os.kill(children(run.pid)[0], signal.SIGKILL)
    wait_until(lambda: place.rows("select * from attempt"), "an attempt that is void")
    place.release()
    assert "a worker process died" in finish(run).stderr
    assert place.standings() == undisturbed
    assert not place.rows("select * from fault where entrant = 'gate-keeper'")


def test_workers_killed_many_times(place: Place, undisturbed: str) -> None:
    """However often workers are killed, at start-up too, what is left out is played by a later run."""
    place.troubled()
    run = place.start("run", "cup.yaml", "--out", "out", "--workers", "2")
    for _ in range(6):
        wait_until(lambda: run.poll() is not None or children(run.pid))
        for worker in children(run.pid)[-1:]:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(worker, signal.SIGKILL)
            wait_until(lambda worker=worker: not alive(worker))
    _, err = run.communicate()
    assert run.returncode in (0, 3), err
    place.play()
    assert place.standings() == undisturbed


@pytest.mark.parametrize("workers", ["1", "3"])
def test_interrupted_on_the_way_to_disqualification(place: Place, undisturbed: str, workers: str) -> None:
    """A bot is disqualified at the same point when the run was stopped on the way there."""
    place.troubled()
    run = place.start("run", "cup.yaml", "--out", "out", "--workers", workers)
    wait_until(lambda: place.count() > 3)
    place.hold()
    wait_until(lambda: list((place.root / "gate").glob("held-*")) or run.poll() is not None)
    run.send_signal(signal.SIGINT)
    run.send_signal(signal.SIGTERM)
    run.communicate()
    assert run.returncode in (0, 130)
    place.release()
    place.play("--workers", workers)
    assert place.standings() == undisturbed


def test_entrant_added_and_removed(place: Place, undisturbed: str) -> None:
    """An entrant that came and went leaves no trace in the standings."""
    place.troubled()
    place.play()
    place.troubled(place.bot("guest"))
    place.play()
    assert place.standings() != undisturbed
    place.troubled()
    assert "nothing to play" in place.play().stderr
    assert place.standings() == undisturbed


def test_more_replicates(place: Place) -> None:
    """More replicates extend what is there, and come to the same as if they had been asked for at once."""
    place.troubled()
    place.play()
    before = place.matches()
    place.troubled(replicates=2)
    place.play()
    after = place.matches()
    assert {key: after[key] for key in before} == before
    place.play("--out", "at-once")
    assert place.standings() == place.standings("at-once")
