"""What is played again after an edit: the matches that the edit touches, and no others."""

import json
import shutil
import sys

import pytest

from runner.entrant.remove import remove_tree
from tests.run.conftest import Place, finish

FIELD = {"a": "", "b": "low", "c": "", "d": "low"}  # four tables of three, each entrant in three of them


def field(place: Place, **keys: object) -> None:
    place.write([place.bot(name, habit) for name, habit in FIELD.items()], **keys)


def played_and_kept(place: Place) -> tuple[int, int]:
    """Run, and return how many matches that played and how many stored before are there unchanged."""
    before = place.matches()
    place.play()
    after = place.matches()
    assert all(after[key] == before[key] for key in before)
    return len(after) - len(before), len(before)


def test_second_run_plays_nothing(place: Place) -> None:
    """The same file again plays nothing, says so, and shows the same standings."""
    field(place)
    first = place.play()
    before = place.matches()
    second = place.play()
    assert len(before) == 4
    assert place.matches() == before
    assert "All 4 matches are stored: nothing to play." in second.stderr
    assert second.stdout == first.stdout


def test_added_entrant_plays_its_own_tables(place: Place) -> None:
    """A newcomer to a full schedule has six tables of ten, also when some bots get fresh processes or see names."""
    names = [place.bot(name, habit) for name, habit in FIELD.items()]
    place.write(names, opponents="shown")
    place.play()
    place.bot("fresh", "low")
    manifest = place.root / "fresh" / "bot.yaml"
    manifest.write_text(manifest.read_text() + "restart: game\n")
    place.write([*names, "fresh"], opponents="shown")
    assert played_and_kept(place) == (6, 4)


def test_edited_bot_plays_its_own_matches(place: Place) -> None:
    """A changed bot plays its three matches again; the rows of the fourth are the same."""
    field(place)
    place.play()
    bot = place.root / "b" / "bot.py"
    bot.write_text(bot.read_text() + "# edited\n")
    assert played_and_kept(place) == (3, 4)
    assert "nothing to play" in place.play().stderr


@pytest.mark.parametrize(
    "change",
    [
        {"clocks": {"start_ms": 60_000, "move_ms": 50_000}},
        {"rules": {"preset": "classic", "sizes": [1, 2]}},
        {"restart": "game"},
        {"opponents": "shown"},
    ],
    ids=["clocks", "rules", "restart", "opponents"],
)
def test_other_terms_play_all(place: Place, change: dict[str, object]) -> None:
    """Other clocks, rules or circumstances play every match again and keep what there was; going back plays nothing."""
    field(place)
    place.play()
    before = place.standings()
    field(place, **change)
    assert played_and_kept(place) == (4, 4)
    field(place)
    assert "nothing to play" in place.play().stderr
    assert place.standings() == before


@pytest.mark.parametrize("change", [{"name": "other"}, {"seed": "8"}])
def test_another_tournament_is_refused(place: Place, change: dict[str, str]) -> None:
    """Another name or seed is another tournament: exit 2, one line, and nothing in the directory is changed."""
    field(place)
    place.play()
    before = place.contents()
    field(place, **change)
    refused = place.play(code=2)
    assert refused.stderr.count("\n") == 1
    assert "belongs to another tournament" in refused.stderr
    assert next(iter(change)) in refused.stderr
    assert "--out" in refused.stderr
    assert place.contents() == before


def test_absent_seed_is_drawn_once(place: Place) -> None:
    """A file without a seed gets one that the run keeps, and two runs get different ones."""
    field(place, seed=None)
    place.play()
    place.play("--out", "other")
    assert "nothing to play" in place.play().stderr
    mine, others = (json.loads(place.standings(out))["run"] for out in ("out", "other"))
    assert mine["seed"] != others["seed"]
    assert not mine["guessable_seed"]


def test_a_run_that_could_not_begin_binds_nobody(place: Place) -> None:
    """A bot that fails to build is refused; the seed is not settled by that, and the next run may name one."""
    field(place, seed=None)
    manifest = place.root / "a" / "bot.yaml"
    whole = manifest.read_text()
    manifest.write_text(whole + "build: [python3, -c, 'import sys; sys.exit(\"no compiler\")']\n")
    refused = place.play(code=2)
    assert "no compiler" in refused.stderr
    assert "`a`" in refused.stderr
    manifest.write_text(whole)
    field(place, seed="7")
    place.play()


BROKEN = {
    "empty": "no command",
    "missing": "no such file",
    "plain": "not executable",
    "shebang": "interpreter /no/such/interpreter not found",
    "unknown": "colour",
}


def break_bots(place: Place) -> list[str]:
    """Make the bots of `BROKEN` and return their names."""
    for name in BROKEN:
        (place.root / name).mkdir()
    (place.root / "missing" / "bot.yaml").write_text("command: [./not-there]\n")
    (place.root / "plain" / "bot.yaml").write_text("command: [./bot]\n")
    (place.root / "plain" / "bot").write_text("#!/bin/sh\n")
    (place.root / "shebang" / "bot.yaml").write_text("command: [./bot]\n")
    (place.root / "shebang" / "bot").write_text("#!/no/such/interpreter\n")
    (place.root / "shebang" / "bot").chmod(0o755)
    (place.root / "unknown" / "bot.yaml").write_text("command: [python3, bot.py]\ncolour: red\n")
    return list(BROKEN)


def test_broken_bots_are_refused_together(place: Place) -> None:
    """Bots that cannot be started are all named at once, each with its line of the file and the reason; none plays."""
    names = [place.bot("a"), place.bot("b"), place.bot("c"), *break_bots(place)]
    place.write(names)
    refused = place.play(code=2)
    lines = refused.stderr.splitlines()
    for name, reason in BROKEN.items():
        assert any(f"`{name}`" in line and reason in line and "cup.yaml:" in line for line in lines), (name, lines)
    assert not place.rows("select * from match")


def test_broken_bots_are_left_out(place: Place) -> None:
    """With `broken: exclude` they are named and left out, and house bots, which are not ranked, fill up the table."""
    place.write([place.bot("a"), place.bot("b", "low"), *break_bots(place)], faults={"broken": "exclude"})
    played = place.play()
    for name, reason in BROKEN.items():
        assert any("left out" in line and f"`{name}`" in line and reason in line for line in played.stderr.splitlines())
    assert "1 house bot (counter) fills up the table" in played.stderr
    standings = json.loads(place.standings())
    assert standings["run"]["house"] == ["house-1"]
    assert {line["id"]: line["place"] for line in standings["standings"]}["house-1"] is None
    assert sorted(line["id"] for line in standings["standings"]) == ["a", "b", "house-1"]


def test_all_broken_is_refused(place: Place) -> None:
    """There is no tournament of house bots alone."""
    place.write(break_bots(place), faults={"broken": "exclude"})
    assert "cannot be started" in place.play(code=2).stderr


def test_disqualified_is_last_and_replaced(place: Place) -> None:
    """Who faults in more than three matches is out: unranked, last, and a stand-in sits from the first card."""
    names = [place.bot("a"), place.bot("b", "low"), place.bot("c"), place.bot("d"), place.bot("e", "garbage")]
    place.write(names)  # `e` has six tables of ten
    place.play("--workers", "1")
    last = json.loads(place.standings())["standings"][-1]
    assert last["id"] == "e"
    assert last["disqualified"]
    assert last["place"] is None
    assert last["stand_in_matches"] == 6
    assert last["faults"]["garbage"] == 4  # that it is out is known from the fourth on


def test_disqualified_in_its_last_match(place: Place) -> None:
    """One match too many with a fault is enough, also when no other follows."""
    place.write([place.bot("a"), place.bot("b", "low"), place.bot("c", "die")], replicates=4)
    place.play()
    last = json.loads(place.standings())["standings"][-1]
    assert (last["id"], last["disqualified"], last["place"]) == ("c", True, None)


def test_disqualified_early_is_not_played_with_to_the_end(place: Place) -> None:
    """A bot that is out does not go on costing time: few matches are played that are not used."""
    names = [place.bot(f"b{number}") for number in range(5)] + [place.bot("soon-out", "die")]
    place.write(names, replicates=4)  # 80 matches, 40 with it
    place.play("--workers", "1")
    assert place.count() - 80 < 70  # a chunk in play, and one waiting


def test_second_run_at_once(place: Place) -> None:
    """While a run is in play a second one into its directory is refused and names the process; nothing is disturbed."""
    gate = place.gate()
    place.write([gate, place.bot("a"), place.bot("b")])
    place.hold()
    first = place.start("run", "cup.yaml", "--out", "out")
    place.wait_held()
    refused = place.play(code=2)
    assert f"(process {first.pid})" in refused.stderr
    assert refused.stderr.count("\n") == 1
    place.release()
    finish(first)
    assert place.count() == 1


def test_bot_changes_while_it_plays(place: Place) -> None:
    """A run plays what it read at its start; the edit is the next run's."""
    gate = place.gate()
    place.write([gate, place.bot("a"), place.bot("b")])
    place.hold()
    run = place.start("run", "cup.yaml", "--out", "out")
    place.wait_held()
    (place.root / "a" / "bot.py").write_text("import sys; sys.exit(9)\n")
    place.release()
    finish(run)
    assert not place.rows("select * from fault")
    place.play()
    assert place.rows("select distinct kind, entrant from fault") == [("died", "a")]


def test_a_bot_that_is_tried_from_its_own_directory(place: Place) -> None:
    """A run in the directory of a bot is no part of the bot: the second plays nothing."""
    place.bot("a")
    for path in (place.root / "a").iterdir():
        path.rename(place.root / path.name)
    place.write([{"path": ".", "id": "me"}, "b", "c"])
    (place.root / "bot.yaml").write_text((place.root / "bot.yaml").read_text() + "ignore: [a, b, c, cup.yaml]\n")
    place.bot("b", "low"), place.bot("c")
    for _ in range(2):
        told = place.ohhell("run", "cup.yaml").stderr
    assert "nothing to play" in told
    assert place.count("runs/cup") == 1


def test_what_a_killed_run_was_copying_is_removed(place: Place) -> None:
    """A run that was killed while it copied a bot leaves half a copy, which the next one removes."""
    field(place)
    place.play()
    half = place.root / "out" / "snapshots" / ".0123456789abcdef.tmp"
    half.mkdir()
    (half / "bot.py").touch()
    place.play()
    assert not half.exists()


def test_snapshots_that_are_gone_are_taken_again(place: Place) -> None:
    """Who removes the snapshots of a run loses nothing but the time to copy them."""
    field(place)
    place.play()
    for directory in (place.root / "out" / "snapshots").iterdir():
        if directory.is_dir():
            remove_tree(directory)
    shutil.rmtree(place.root / "out" / "snapshots")
    assert "nothing to play" in place.play().stderr


def test_an_executable_bot_runs_from_the_usual_directory(place: Place) -> None:
    """A program of the bot's own is found where a run's directory has a relative path, as runs/NAME is."""
    place.bot("own")
    bot = place.root / "own" / "bot.py"
    program = bot.rename(place.root / "own" / "bot")
    program.write_text(f"#!{sys.executable}\n{program.read_text()}".replace("sys.argv[1]", "''"))
    program.chmod(0o755)
    (place.root / "own" / "bot.yaml").unlink()
    place.write(["own", place.bot("a"), place.bot("b")])
    ended = place.ohhell("run", "cup.yaml")
    assert "no faults" in ended.stderr
    assert place.count("runs/cup") == 1
