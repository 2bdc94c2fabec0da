"""A bot that remembers every hand it has seen, wherever it may write, never meets one again."""

import json
import shutil
import sys
from pathlib import Path

from runner.entrant.launch import Launch
from runner.entrant.pool import SessionPool
from runner.game.rules import Rules
from runner.protocol.messages import WireClock
from runner.table.conditions import Conditions
from runner.table.match import play_match
from runner.table.results import MatchPlan
from tests.run.conftest import Place

BOT = Path(__file__).with_name("remember_bot.py")
COMMAND = (sys.executable, "-S", "-E", "bot.py", "no-own-directory")
SIZES = (9, 8, 7)  # that large a hand is not dealt twice by chance


def remembering(place: Place, name: str) -> str:
    """Make a bot that remembers."""
    directory = place.root / name
    directory.mkdir()
    shutil.copy(BOT, directory / "bot.py")
    (directory / "bot.yaml").write_text("command: [python3, -S, -E, bot.py]\n")
    return name


def test_no_hand_twice_in_a_run(place: Place) -> None:
    """Over many matches, replicates, rotations and workers, no process sees a hand of its own or its past again.

    The bot has memory, scratch and its own directory; who finds a hand gives up, which is a fault.
    """
    names = [remembering(place, name) for name in ("a", "b", "c", "d")]
    place.write(names, replicates=5, rules={"preset": "classic", "sizes": list(SIZES)})
    place.play("--workers", "2")
    assert place.count() == 20
    assert not place.rows("select entrant, kind, stderr from fault")
    place.write(names, replicates=6, rules={"preset": "classic", "sizes": list(SIZES)})
    place.play("--workers", "1")
    assert place.count() == 24
    assert not place.rows("select entrant, kind, stderr from fault")


def test_no_hand_twice_after_a_disqualification(place: Place) -> None:
    """What was played ahead with a bot that is out by then is played again on the same cards, by other processes."""
    names = [remembering(place, "a"), remembering(place, "b"), place.bot("c", "die")]
    at_once = {"disqualify": {"matches": 0, "share": 0}}
    place.write(names, replicates=4, faults=at_once, rules={"preset": "classic", "sizes": list(SIZES)})
    place.play("--workers", "1")
    assert place.count() > 4
    assert place.rows("select distinct entrant, detail from fault") == [("c", "exit status 3")]


def test_no_hand_twice_in_a_match(place: Place) -> None:
    """The games of one match are on the same cards, each for another process, which the bots never find out."""
    bots = [remembering(place, name) for name in ("a", "b", "c")]
    for words in (bots, [bots[0]] * 3):  # and three copies of one bot, which share a snapshot
        played = json.loads(place.ohhell("match", *words, "--json").stdout)
        assert not played["faults"]
        assert len(played["games"]) == 3


def test_a_bot_that_met_a_hand_again_would_be_noticed(tmp_path: Path) -> None:
    """The bot does remember: on a deal that it is given twice it gives up at its first request."""
    place = Place(tmp_path)
    names = tuple(remembering(place, name) for name in ("a", "b", "c"))
    clock = WireClock(60_000, 60_000, 300_000, None)
    conditions = Conditions(Rules(sizes=SIZES).for_players(3), bytes(32), clock)
    launches = {name: Launch(name, COMMAND, tmp_path / name, tmp_path / "scratch") for name in names}
    pool = SessionPool(launches, clock)
    try:
        plan = MatchPlan(bytes(32), "0", names)
        first = play_match(plan, conditions, dict.fromkeys(names, bytes(32)), pool.find)
        again = play_match(plan, conditions, dict.fromkeys(names, bytes(32)), pool.find)
    finally:
        pool.close()
    assert not first.faults
    assert {fault.detail for fault in again.faults} == {"exit status 7"}
