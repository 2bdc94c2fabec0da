"""`ohhell run --dry-run`: what it tells, and that it keeps nothing."""

import os

from tests.run.conftest import Place, finish


def test_what_would_be_played(place: Place) -> None:
    """Tables, meetings and games are those of the schedule; nothing is stored, not even a directory."""
    place.write([place.bot("a"), place.bot("b", "low"), place.bot("c"), place.bot("d")], replicates=2)
    before = sorted(place.root.rglob("*"))
    told = dict(line.split(maxsplit=1) for line in place.play("--dry-run", "--workers", "2").stdout.splitlines())
    assert sorted(place.root.rglob("*")) == before
    assert told["time"].endswith("with 2 workers (from 2 trial matches)")
    assert told["disk"].endswith(" MB")
    del told["time"], told["disk"]
    assert told == {
        "name": "cup",
        "directory": "out",
        "entrants": "a, b, c, d",
        "schedule": "full, 2 replicates",
        "tables": "8 of 3; an entrant sits at 6",
        "pairs": "meet 4 times",
        "games": "24 of 2 hands",
    }


def test_faults_of_the_trial_are_told(place: Place) -> None:
    """Who faults in the trial would in the run: better to know it before."""
    place.write([place.bot("a"), place.bot("b"), place.bot("dies", "die")])
    notes = [line for line in place.play("--dry-run").stdout.splitlines() if line.startswith("note")]
    assert notes == ["note       dies faulted in the trial: died: exit status 3"]


def test_a_tournament_that_ships_is_found_anywhere(place: Place) -> None:
    """The help's first step works outside a checkout too, where a file of that name does not come before it."""
    assert "quickstart" in place.ohhell("run", "tournaments/quickstart.yaml", "--dry-run").stdout
    assert "cannot be read" in place.ohhell("run", "tournaments/none.yaml", "--dry-run", code=2).stderr
    (place.root / "tournaments").mkdir()
    own = place.write([f"../{place.bot(name)}" for name in "abc"], name="own")
    own.rename(place.root / "tournaments" / "quickstart.yaml")
    assert "own" in place.ohhell("run", "tournaments/quickstart.yaml", "--dry-run").stdout


def test_a_trial_is_played_as_a_worker_would(place: Place) -> None:
    """Its bots share one CPU with it: played across CPUs a match takes several times as long as in the run."""
    place.write([place.gate(), place.bot("b"), place.bot("c")])
    place.hold()
    trial = place.start("run", "cup.yaml", "--dry-run")
    place.wait_held()
    (marker,) = (place.root / "gate").glob("held-*")
    bot = int(marker.name.removeprefix("held-"))
    assert len(os.sched_getaffinity(bot)) == 1
    assert os.sched_getaffinity(bot) == os.sched_getaffinity(trial.pid)
    place.release()
    finish(trial)
