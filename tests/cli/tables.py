"""Runs made in memory from scripted players, so that every time and note in them is known."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from runner.entrant.session import StartFailure
from runner.game.cards import Card
from runner.game.view import View
from runner.protocol.events import Fact
from runner.protocol.faults import Fault
from runner.protocol.lines import Reply
from runner.protocol.messages import EventName, GameStart
from runner.store.store import Store
from runner.table.conditions import DEFAULT_CLOCK
from runner.table.match import play_match
from runner.table.results import MatchResult
from runner.tournament.keys import FaultPolicy
from runner.tournament.plan import Plan, Terms

SIZES = [2, 1]
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class Scripted:
    """A player that gives the first legal answer in 2 ms.

    It notes `note`, bids twice with `changes`, faults at its request `fault`; if `loud` it has more to say at the end.
    """

    wanted: frozenset[EventName] = frozenset()

    def __init__(self, note: str = "", fault: int | None = None, changes: bool = False, loud: bool = False) -> None:
        self.last_us = 2000
        self.note = note
        self.fault = fault
        self.changes = changes
        self.loud = loud
        self.asked = 0

    def begin_game(self, start: GameStart) -> None:
        self.last_us = 2000

    def hear(self, fact: Fact) -> None:
        raise AssertionError("it wants no events")

    def ask(self, kind: str, legal: Sequence[int | Card], view: View, standing: int | None) -> Reply | Fault:
        self.asked += 1
        if self.asked - 1 == self.fault:
            return Fault("garbage", "not one JSON object: \\x1b[31m", b"\x1b[31mhello")
        if kind == "bid" and self.changes and standing is None:
            return Reply(legal[-1], final=False)
        return Reply(legal[0], note=self.note)

    def check_quiet(self) -> Fault | None:
        return Fault("unasked", "a line after the last answer", b"goodbye") if self.loud else None

    def dismiss(self, fault: Fault) -> bytes:
        return b"Traceback\n\x1b[31mZeroDivisionError"


def make_plan(rules: dict[str, object] | None = None) -> Plan:
    """A plan of one match of three entrants, on a seed of 32 equal bytes."""
    entrants = ("ann", "ben", "cid")
    return Plan(
        Terms(
            name="golden",
            seed="07" * 32,
            guessable_seed=False,
            rules={"preset": "classic", "sizes": SIZES, **(rules or {})},
            table=3,
            entrants=entrants,
            house=(),
            snapshots=dict.fromkeys(entrants, "0a" * 32),
            fresh=(),
            replicates=1,
            matches=40,
            full_up_to=150,
            clock=DEFAULT_CLOCK,
            faults=FaultPolicy(),
            isolation="limits",
            names=None,
            rank_by="adjusted",
        )
    )


def play(plan: Plan, **players: Scripted | StartFailure) -> MatchResult:
    """The plan's match, played by `players`; who is not named plays without notes or faults."""
    match = next(plan.matches(lambda key: None))
    seated = {entrant: players.get(entrant) or Scripted() for entrant in match.entrants}
    return play_match(match, plan.conditions, plan.snapshots, lambda entrant, rotation: seated[entrant])


def make_run(directory: Path, plan: Plan, *results: MatchResult) -> Path:
    """A run's directory with these results in it."""
    with Store.create_or_open(directory) as store:
        store.set("terms", msgspec.json.encode(plan.terms).decode())
        store.write(results)
    return directory
