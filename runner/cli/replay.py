"""`ohhell replay`: shows a stored game, card by card."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.text import Text

from runner.cli import COMMANDS
from runner.errors import OhHellError
from runner.protocol.events import HandDealt, event_messages
from runner.protocol.messages import EVENT_NAMES
from runner.store.store import Store
from runner.table.results import FaultRecord, MatchResult
from runner.table.transcript import Decision, Transcript, transcribe
from runner.terminal import console
from runner.terminal.replay import ReplayView
from runner.text import escape, plural
from runner.tournament.known import Known
from runner.tournament.plan import Plan
from runner.tournament.run import read_run

JSON_VERSION = 1
EPILOG = """\b
With --json every line is an object with a "type":
  replay: the first line: version 1; game (its number), deal, rotation,
    seats (ids), absent (seats held by a stand-in from the first card),
    sizes, rules.
  hand_start, bid, bids, play, trick, hand_end, game_end: the events of the
    protocol; there is a hand_start for each seat, which says "seat" at its
    end.
  decision: before what came of it: decision (from 0), seat, time_us, then
    "bid" and "final" or "card" or neither; "note" if there is one.
  fault: entrant, seat, decision (-1: before the first), kind, detail, raw,
    stderr; a stand-in plays the seat from here. Behind game_end stand those
    that were seen only then.

\b
Examples:
  ohhell replay runs/quickstart 1 | less
  ohhell replay runs/quickstart 5d0c1f2a9b8e7766.0/3 --hand 4
"""


class NoSuchGame(OhHellError):
    """A game that the run has not."""


@click.command(short_help=COMMANDS["replay"], epilog=EPILOG)
@click.argument("directory", type=click.Path(path_type=Path))
@click.argument("game")
@click.option("--hand", type=click.IntRange(0), metavar="N", help="Only this hand, counted from 0.")
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object a line, version 1.")
def command(directory: Path, game: str, hand: int | None, *, as_json: bool) -> None:
    """Show a game of the run in DIRECTORY: cards, bids, tricks, points, and the bots' times, notes and faults.

    GAME is DEAL/ROTATION, or the game's number from 1 in the order of the schedule.
    """
    with read_run(directory) as (store, plan):
        number, rotation, result = _find(store, plan, game)
    transcript = transcribe(result, rotation, plan.conditions)
    hands = len(transcript.hands)
    if hand is not None and hand >= hands:
        raise NoSuchGame(f"The game has {hands} hands, 0 to {hands - 1}; there is no hand {hand}.")
    if as_json:
        for line in _lines(number, result, transcript, plan, hand):
            click.echo(msgspec.json.encode(line))
        return
    out = console.out()
    heading = Text(f"Game {number:,}: deal {result.deal}, rotation {rotation}", style="bold")
    heading.append(f" · {plural(hands, 'hand')}, counted from 0", style="not bold")
    out.print(heading)
    view = ReplayView(out, transcript)
    view.start()
    for each in transcript.hands if hand is None else transcript.hands[hand : hand + 1]:
        view.hand(each)
    if hand is None:
        view.end()


def _number(text: str) -> int | None:
    """Return the whole number that `text` is; None if it is none, or larger than any that counts games."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _find(store: Store, plan: Plan, game: str) -> tuple[int, int, MatchResult]:
    """Return the number of a game, its rotation, and its match."""
    games = plan.games_a_match
    matches = list(plan.matches(Known(store).faulted))
    deal, slash, turn = game.rpartition("/")
    number, rotation = _number(game), _number(turn)
    if number is not None:
        index, rotation = divmod(number - 1, games)
        if not 0 <= index < len(matches):
            raise NoSuchGame(f"The schedule has the games 1 to {len(matches) * games:,}; there is no game {number:,}.")
    elif slash and rotation is not None:
        index = next((index for index, match in enumerate(matches) if match.deal == deal), -1)
        if index < 0:
            raise NoSuchGame(f"No match of this run is played on the deal {escape(deal, 60)}.")
        if rotation >= games:
            raise NoSuchGame(f"A match has the rotations 0 to {games - 1}; there is no rotation {rotation}.")
    else:
        raise NoSuchGame(f"{escape(game, 60)!r} names no game: give DEAL/ROTATION, or a number from 1.")
    match = matches[index]
    result = store.result(match.key)
    if result is None:
        raise NoSuchGame(f"The match on the deal {match.deal} has not been played yet. Go on with ohhell run.")
    return index * games + rotation + 1, rotation, result


def _lines(
    number: int, result: MatchResult, transcript: Transcript, plan: Plan, only: int | None
) -> Iterator[dict[str, Any]]:
    """Yield the lines of --json; the help text tells their form."""
    yield {
        "type": "replay",
        "version": JSON_VERSION,
        "game": number,
        "deal": result.deal,
        "rotation": transcript.rotation,
        "seats": transcript.seated,
        "absent": sorted(transcript.absent),
        "sizes": plan.rules.sizes,
        "rules": plan.rules.rules.to_mapping(),
    }
    for fault in transcript.start_faults:
        yield _fault(fault)
    hand = 0
    everything = frozenset(EVENT_NAMES)
    for event in transcript.events:
        if isinstance(event, HandDealt):
            hand = event.views[0].hand
        if only not in (None, hand):
            continue
        if isinstance(event, Decision):
            yield from _decision(event)
        elif isinstance(event, HandDealt):
            for seat in range(len(event.views)):
                for message in event_messages(event, number, seat, everything):
                    yield {**msgspec.to_builtins(message), "seat": seat}
        else:
            for message in event_messages(event, number, 0, everything):
                yield msgspec.to_builtins(message)
    for fault in transcript.end_faults:
        yield _fault(fault)


def _decision(decision: Decision) -> Iterator[dict[str, Any]]:
    line: dict[str, Any] = {
        "type": "decision",
        "decision": decision.decision,
        "seat": decision.seat,
        "time_us": decision.time_us,
    }
    if decision.bid is not None:
        line |= {"bid": decision.bid, "final": decision.final}
    if decision.card is not None:
        line |= {"card": decision.card}
    if decision.note:
        line |= {"note": decision.note}
    yield line
    if decision.fault is not None:
        yield _fault(decision.fault)


def _fault(fault: FaultRecord) -> dict[str, Any]:
    return {
        "type": "fault",
        "entrant": fault.entrant,
        "seat": fault.seat,
        "decision": fault.decision,
        "kind": fault.kind,
        "detail": fault.detail,
        "raw": fault.raw.decode(errors="backslashreplace"),
        "stderr": fault.stderr.decode(errors="backslashreplace"),
    }
