"""`ohhell match`: what is printed, the seats, faults, refusals, and that nothing stays behind."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from runner.cli.match import command
from runner.errors import OhHellError
from runner.table.conditions import DEFAULT_CLOCK
from runner.tournament.keys import ClockKeys
from tests.cli.tables import ESCAPE
from tests.cli.terminal import OHHELL, environment, on_terminal, piped

GOLDEN = Path(__file__).parent / "golden"
SHORT = ("--set", "sizes=[2,1]", "--seed", "golden")

BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1}', flush=True)
    elif message["type"] == "request_bid":
        ON_BID
        print(json.dumps({"id": message["id"], "bid": message["legal"][0]}), flush=True)
    elif message["type"] == "request_play":
        print(json.dumps({"id": message["id"], "card": message["legal"][0]}), flush=True)
"""


def write_bot(path: Path, on_bid: str = "pass") -> Path:
    path.write_text(BOT.replace("ON_BID", on_bid))
    return path


def test_match_is_shown_to_the_letter_on_a_terminal(tmp_path: Path) -> None:
    """Three times the same bot: seats, bids, tricks, points, totals and the result, in 80 columns and in colour."""
    status, text = on_terminal("match", "lowest", "lowest", "lowest", *SHORT, env={"TMPDIR": str(tmp_path)})
    assert status == 0
    assert "\x1b[3" in text
    plain = ESCAPE.sub("", text)
    assert max(map(len, plain.splitlines())) <= 80
    assert plain == (GOLDEN / "match.txt").read_text()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("columns", ["0", "1", "20", "79"])
def test_narrow_terminal(columns: str) -> None:
    """However narrow it is, the match is shown, if wrapped."""
    status, text = on_terminal("match", *["lowest"] * 7, *SHORT, env={"COLUMNS": columns})
    assert status == 0
    assert "internal error" not in text


def test_no_color_is_respected() -> None:
    """NO_COLOR takes the colours away and leaves the text."""
    status, text = on_terminal("match", "lowest", "lowest", "lowest", *SHORT, env={"NO_COLOR": "1"})
    assert status == 0
    assert "\x1b[3" not in text
    assert ESCAPE.sub("", text) == (GOLDEN / "match.txt").read_text()


def test_json_of_a_match_with_a_faulting_bot(tmp_path: Path) -> None:
    """A fault is in the result, the others' match goes on, and the exit code is 0; the same seed gives the same."""
    bot = write_bot(tmp_path / "broken.py", "sys.stderr.write('\\x1b[31mwhy'); sys.exit(3)")
    words = ("match", "lowest", "random", bot, *SHORT, "--json")
    done = piped(*words)
    assert (done.returncode, done.stderr) == (0, "")
    match = json.loads(done.stdout)
    assert (match["version"], match["players"], match["sizes"], match["deal"]) == (1, 3, [2, 1], "0")
    assert match["guessable_seed"] is True
    ranks = {seat["id"]: (seat["rank"], seat["stand_in"]) for seat in match["entrants"]}
    assert ranks["broken"] == (3, True)
    [fault] = match["faults"]
    assert (fault["entrant"], fault["kind"], fault["stderr"]) == ("broken", "died", "\x1b[31mwhy")
    assert [game["rotation"] for game in match["games"]] == [0, 1, 2]
    for game in match["games"]:
        assert sorted(game["seats"]) == ["broken", "lowest", "random"]
        assert game["hands"][-1]["totals"] == game["totals"]
        for hand in game["hands"]:
            assert sum(hand["won"]) == hand["size"]
            assert sum(hand["bids"]) != hand["size"]
    again = json.loads(piped(*words).stdout)
    assert again["games"] == match["games"]


def test_fault_is_told_when_it_happens_with_its_escapes_visible(tmp_path: Path) -> None:
    """The text names bot, place, kind and the end of stderr, and brackets the name from there on."""
    bot = write_bot(tmp_path / "broken.py", "print('\\x1b[31mhello', flush=True); continue")
    done = piped("match", "lowest", "lowest", bot, *SHORT)
    assert done.returncode == 0
    assert "fault of broken: game 0" in done.stdout
    assert r"it wrote: \x1b[31mhello" in done.stdout
    assert "\x1b" not in done.stdout
    assert "broken)" in done.stdout


def test_a_bot_that_does_not_start_is_a_fault(tmp_path: Path) -> None:
    """It loads but says nothing and ends: every game is played with a stand-in from the first card."""
    (tmp_path / "mute.py").write_text("raise SystemExit(5)")
    done = piped("match", "lowest", "lowest", tmp_path / "mute.py", *SHORT)
    assert done.returncode == 0
    assert "before its first request" in done.stdout


def test_random_seed_is_printed_and_gives_the_same_deal() -> None:
    """Without --seed the printed one repeats the match."""
    rules = ("--set", "sizes=[1]")
    first = piped("match", "lowest", "lowest", "lowest", *rules)
    seed = first.stdout.split("Seed:\n")[1].split()[0]
    assert len(seed) == 64
    assert piped("match", "lowest", "lowest", "lowest", *rules, "--seed", seed).stdout == first.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["lowest", "lowest"], "played by 3 to 7, not by 2"),
        (["lowest"] * 8, "not by 8"),
        (["lowest", "lowest", "lowst"], "Did you mean `lowest`?"),
        (["lowest", "lowest", "/nowhere/\x1b[1m"], r"/nowhere/\x1b[1m"),
        (["lowest", "lowest", "lowest", "--rules", "clasic"], "Did you mean `classic`?"),
        (["lowest", "lowest", "lowest", "--set", "max=30"], "from 1 to 17"),
        (["lowest", "lowest", "lowest", "--set", "hok=true"], "Did you mean `hook`?"),
    ],
)
def test_refusals_are_sentences(words: list[str], sentence: str) -> None:
    """Each says what is wrong and what is near, before any process is started."""
    with pytest.raises(OhHellError) as refused:
        CliRunner().invoke(command, words, catch_exceptions=False)
    assert sentence in str(refused.value)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize("words", [["--set", "max"], ["--set", "max=[7"], ["--deal", "a b"]])
def test_misused_options_exit_2(words: list[str]) -> None:
    """What is no option's value is wrong usage."""
    assert CliRunner().invoke(command, ["lowest", "lowest", "lowest", *words]).exit_code == 2


def test_different_bots_of_one_id_are_refused(tmp_path: Path) -> None:
    """Two bots that cannot be told apart are refused, and so is a bot that has the id of another's copy."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = write_bot(tmp_path / "a" / "x.py"), write_bot(tmp_path / "b" / "x.py")
    with pytest.raises(OhHellError, match="has the id x too"):
        CliRunner().invoke(command, [str(one), str(other), "lowest"], catch_exceptions=False)
    copy = write_bot(tmp_path / "x-1.py")
    with pytest.raises(OhHellError, match="copy of x"):
        CliRunner().invoke(command, [str(one), str(one), str(copy)], catch_exceptions=False)


def test_interrupt_ends_the_bots_and_leaves_nothing(tmp_path: Path) -> None:
    """Ctrl-C while a bot thinks: exit code 130, no process of a bot, no directory of ours."""
    marker, temporary = tmp_path / "pid", tmp_path / "tmp"
    temporary.mkdir()
    on_bid = f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(100)"
    bot = write_bot(tmp_path / "slow.py", on_bid)
    process = subprocess.Popen(
        [*OHHELL, "match", "lowest", "lowest", str(bot), *SHORT],
        env=environment(TMPDIR=str(temporary)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30
    while not (marker.exists() and marker.read_text()) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert (process.returncode, told.strip()) == (130, b"ohhell: interrupted")
    with pytest.raises(ProcessLookupError):
        os.kill(int(marker.read_text()), 0)
    assert list(temporary.iterdir()) == []


def test_default_clock_is_that_of_tournament_files() -> None:
    """A match gives bots the time that a tournament file without `clocks` gives them."""
    keys = ClockKeys()
    assert (DEFAULT_CLOCK.start_ms, DEFAULT_CLOCK.move_ms, DEFAULT_CLOCK.bank_ms) == (
        keys.start_ms,
        keys.move_ms,
        keys.bank_ms,
    )
    assert DEFAULT_CLOCK.move_wall_ms == 5 * keys.move_ms + 500
