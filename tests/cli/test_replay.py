"""`ohhell replay`: a scripted game to the letter, its events, its place in the schedule, and what it refuses."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from runner.cli.replay import command
from runner.entrant.session import StartFailure
from runner.errors import OhHellError
from runner.protocol.faults import Fault
from runner.table.match import play_match
from tests.cli.tables import ESCAPE, Scripted, make_plan, make_run, play
from tests.cli.terminal import on_terminal, piped

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A match in which ben notes, ann changes bids, and cid faults at its second request of the second game."""
    plan = make_plan()
    result = play(plan, ann=Scripted(changes=True), ben=Scripted(note="hold \x1b[31mtwo\n" * 9), cid=Scripted(fault=5))
    return make_run(tmp_path / "run", plan, result)


def shown(*words: str | Path) -> str:
    outcome = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert outcome.exit_code == 0
    return outcome.output


@pytest.mark.parametrize("game", [1, 2, 3])
def test_game_is_shown_to_the_letter(run: Path, game: int) -> None:
    """Cards, bids, tricks, notes, times, the fault in its place, and the stand-in from there on."""
    assert shown(run, str(game)) == (GOLDEN / f"replay-{game}.txt").read_text()


def test_deal_and_rotation_name_the_same_game(run: Path) -> None:
    """DEAL/ROTATION and the number in the schedule lead to one game."""
    by_number = shown(run, "2")
    deal = by_number.split("deal ")[1].split(",")[0]
    assert shown(run, f"{deal}/1") == by_number


def test_one_hand_alone(run: Path) -> None:
    """--hand shows the one hand and no other."""
    text = shown(run, "1", "--hand", "1")
    assert "Hand 1 ·" in text
    assert "Hand 0 ·" not in text


def test_events_are_those_of_the_protocol_with_decisions_between(run: Path) -> None:
    """Each act of the log is an event; each decision stands before what came of it; the fault says what it was."""
    lines = [json.loads(line) for line in shown(run, "2", "--json").splitlines()]
    kinds = [line["type"] for line in lines]
    assert kinds[0] == "replay"
    assert lines[0]["version"] == 1
    assert lines[0]["seats"] == ["cid", "ben", "ann"]
    assert kinds.count("hand_start") == 2 * 3
    assert kinds.count("bid") == 2 * 3
    assert kinds.count("play") == 3 * 3
    assert kinds.count("trick") == 3
    assert kinds[-2:] == ["hand_end", "game_end"]
    fault = next(line for line in lines if line["type"] == "fault")
    assert (fault["kind"], fault["entrant"]) == ("garbage", "cid")
    decisions = [line["decision"] for line in lines if line["type"] == "decision"]
    assert decisions == list(range(len(decisions)))
    for before, after in pairwise(lines):
        if before["type"] == "decision" and after["type"] in ("bid", "play"):
            assert before["seat"] == after["seat"]


def test_sealed_and_blind_hands_are_shown(tmp_path: Path) -> None:
    """Sealed bids carry their times though they are revealed together; a blind hand says so."""
    plan = make_plan({"bids": "sealed", "hook": False, "change_bid": False, "blind": "ones"})
    directory = make_run(tmp_path / "run", plan, play(plan, ann=Scripted(note="hm")))
    text = shown(directory, "1")
    assert "blind: each sees" in text
    assert text.count("“hm”") >= 2
    assert sum(line.count("2.0ms") for line in text.splitlines() if line.startswith("bid")) == 2 * 3


def test_faults_before_and_after_the_acts(tmp_path: Path) -> None:
    """Two bots that wrote too much in the first game are blamed at its end; in the second the stand-in has both."""
    plan = make_plan()
    directory = make_run(tmp_path / "run", plan, play(plan, ann=Scripted(loud=True), cid=Scripted(loud=True)))
    text = shown(directory, "1")
    assert text.count("seen when the game was over") == 2
    assert "(s) " not in text.split("Hand 0")[1]
    kinds = [json.loads(line)["type"] for line in shown(directory, "1", "--json").splitlines()]
    assert kinds[-3:] == ["game_end", "fault", "fault"]
    assert shown(directory, "2").count("(stand-in from the first card: its fault was in rotation 0)") == 2


def test_bot_that_never_started(tmp_path: Path) -> None:
    """Its fault and what it said stand above the first hand, in every form."""
    plan = make_plan()
    failure = StartFailure(Fault("start", "no such file"), b"missing \x1b[31mlibrary")
    directory = make_run(tmp_path / "run", plan, play(plan, ben=failure))
    before, _ = shown(directory, "1").split("Hand 0")
    assert "0 ben  (stand-in from the first card: see below)" in before
    assert "fault of 0 ben, before its first request" in before
    assert r"missing \x1b[31mlibrary" in before
    fault = json.loads(shown(directory, "1", "--json").splitlines()[1])
    assert (fault["type"], fault["entrant"], fault["decision"]) == ("fault", "ben", -1)


def test_who_was_disqualified_before(tmp_path: Path) -> None:
    """A seat that was empty for faults in other matches says so."""
    plan = make_plan()
    match = replace(next(plan.matches(lambda key: None)), stand_ins=frozenset({"ben"}))
    result = play_match(match, plan.conditions, plan.snapshots, lambda entrant, rotation: Scripted())
    assert "ben  (stand-in from the first card: disqualified before)" in shown(
        make_run(tmp_path / "run", plan, result), "1"
    )


@pytest.mark.parametrize(
    ("game", "sentence"),
    [
        ("0", "games 1 to 3"),
        ("4", "games 1 to 3"),
        ("first", "names no game"),
        ("9" * 5_000, "names no game"),
        ("5.0/" + "9" * 5_000, "names no game"),
        ("nothing/0", "No match of this run"),
        ("\x1b[31m/0", r"\x1b[31m"),
    ],
)
def test_games_that_are_not_there_are_refused(run: Path, game: str, sentence: str) -> None:
    """Each says what there is instead, with what was typed escaped."""
    with pytest.raises(OhHellError) as refused:
        CliRunner().invoke(command, [str(run), game], catch_exceptions=False)
    assert sentence in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_unplayed_match_is_refused(tmp_path: Path) -> None:
    """A game of the schedule that has no result yet is told so."""
    directory = make_run(tmp_path / "run", make_plan())
    with pytest.raises(OhHellError, match="not been played yet"):
        CliRunner().invoke(command, [str(directory), "1"], catch_exceptions=False)


def test_terminal_of_80_columns(run: Path) -> None:
    """Nothing is wider than the terminal, suits have colours there, and a bot's escapes do not reach it."""
    status, text = on_terminal("replay", run, "2")
    assert status == 0
    assert "\x1b[31m" in text  # hearts are red
    assert "\x1b[31mtwo" not in text
    plain = ESCAPE.sub("", text)
    assert max(map(len, plain.splitlines())) <= 80
    assert plain == (GOLDEN / "replay-2.txt").read_text()


def test_output_that_cannot_carry_suits_gets_letters(run: Path) -> None:
    """In ASCII cards are written as on the wire, and what else cannot be shown is escaped."""
    done = piped("replay", run, "1", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "KC* 2.0ms" in done.stdout
