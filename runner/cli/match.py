"""`ohhell match`: plays one match between bots now."""

import json
import re
import secrets
from contextlib import closing
from typing import Any

import click
import msgspec
from rich.text import Text

from runner.cli import COMMANDS
from runner.cli.rules_option import read_rules, rules_options
from runner.entrant.cpus import on_one_cpu
from runner.entrant.pool import SessionPool
from runner.game.deal import GameDeal, deal_game, seat_order
from runner.game.rules import Rules
from runner.game.series import HandResult
from runner.game.stream import SEED_BYTES, Seed, parse_seed
from runner.table.conditions import DEFAULT_CLOCK, Conditions
from runner.table.lineup import Lineup, find_bots, stage
from runner.table.match import Follow, entrants_by_seat, play_match
from runner.table.results import FaultRecord, MatchPlan, MatchResult
from runner.table.summary import summarize
from runner.terminal import console
from runner.terminal.cards import Face
from runner.terminal.layout import indented
from runner.terminal.match import LEGEND, MatchRows, fault_block, result_table
from runner.text import escape, plural

JSON_VERSION = 1
EPILOG = """\b
The JSON of --json is one object:
  version 1; players, sizes (of the hands), rules, seed, guessable_seed,
  deal, clock (ms), entrants, games, faults.
  entrants: in seat order of game 0: id, snapshot, rank, total, bids_made
    (a share), stand_in.
  games: rotation, seats (ids by seat), totals, hands; a hand has hand, size,
    turned, trump, bids, won, points, totals. Everything is by seat.
  faults: entrant, seat, rotation, decision (-1: before the first), kind,
    detail, raw, stderr.

\b
Example:
  ohhell match random counter counter ./mybot --seed 42
"""
_DEAL = re.compile(r"[0-9A-Za-z.]{1,64}")


@click.command(short_help=COMMANDS["match"], epilog=EPILOG)
@click.argument("bots", nargs=-1, required=True, metavar="BOT…")
@rules_options
@click.option("--seed", metavar="SEED", help="64 hex digits, or any text for practice.  [default: random, printed]")
@click.option("--deal", default="0", metavar="DEAL", help="Which of the seed's deals.  [default: 0]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, version 1, when the match is over.")
def command(
    bots: tuple[str, ...], preset: str, overrides: tuple[str, ...], seed: str | None, deal: str, *, as_json: bool
) -> None:
    """Play one match between 3 to 7 bots: the same cards in every rotation of the seats, ranked by the sum.

    A BOT is a directory, a file or the name of a house bot. Named twice, it sits at the table twice, as ID-1 and ID-2.
    Nothing is stored. A bot's fault ends neither the match nor this command: the exit code is 0 whenever the match has
    been played.
    """
    if not _DEAL.fullmatch(deal):
        raise click.BadParameter("a deal is named by 1 to 64 digits, letters and points.", param_hint="--deal")
    rules = read_rules(preset, overrides)
    game_rules = rules.for_players(len(bots))
    chosen = parse_seed(secrets.token_hex(SEED_BYTES) if seed is None else seed)
    conditions = Conditions(game_rules, chosen.bytes_, DEFAULT_CLOCK)
    found = find_bots(bots)
    plan = MatchPlan(bytes(32), deal, seat_order(chosen.bytes_, deal, found))
    dealt = deal_game(game_rules, chosen.bytes_, deal)
    follower = _Follower(plan, dealt, quiet=as_json)
    with stage(found) as lineup:
        for note in lineup.notes:
            console.remark(console.err(), f"note: {escape(note)}")
        if not as_json:
            follower.begin(preset, overrides, chosen, conditions)
        result = _play(plan, conditions, lineup, follower.follow)
    if as_json:
        shown = _to_mapping(result, conditions, rules, chosen, follower)
        click.echo(json.dumps(shown, indent=1))
        return
    follower.end(result)


def _play(plan: MatchPlan, conditions: Conditions, lineup: Lineup, follow: Follow) -> MatchResult:
    with on_one_cpu(), closing(SessionPool(lineup.launches, conditions.clock, lineup.fresh)) as pool:
        return play_match(plan, conditions, lineup.snapshots, pool.find, follow)


class _Follower:
    """Prints the match as it is played, unless it is to be `quiet`; keeps every hand's result by rotation."""

    def __init__(self, plan: MatchPlan, deal: GameDeal, *, quiet: bool) -> None:
        self.hands: dict[int, list[HandResult]] = {}
        self.deal = deal
        self._plan = plan
        self._quiet = quiet
        self._out_of_match: set[str] = set()
        self._out = console.out()
        self._rows = MatchRows(Face(self._out), deal, len(plan.entrants), self._out.width)

    def begin(self, preset: str, overrides: tuple[str, ...], seed: Seed, conditions: Conditions) -> None:
        rules, clock = conditions.rules, conditions.clock
        named = " ".join((preset, *overrides))
        told = (
            f"Rules: {escape(named)}; {plural(len(rules.sizes), 'hand')}, counted from 0.",
            f"The same cards are played {rules.players} times, each bot once at every seat. "
            f"A bot has {clock.move_ms:,} ms for a decision.",
            LEGEND,
        )
        for paragraph in told:
            for line in indented(paragraph, ""):
                self._print(Text(line))
        guessable = " (guessable: for practice)" if seed.guessable else ""
        self._print(Text(f"Seed{guessable}:\n  {escape(seed.text)}\nDeal: {self._plan.deal}"))

    def follow(self, rotation: int, told: HandResult | FaultRecord) -> None:
        if not self._quiet and rotation not in self.hands:
            self._print(Text())
            seated = entrants_by_seat(self._plan.entrants, rotation)
            for line in self._rows.heading(rotation, seated, self._out_of_match):
                self._print(line)
        results = self.hands.setdefault(rotation, [])
        if isinstance(told, HandResult):
            results.append(told)
        else:
            self._out_of_match.add(told.entrant)
        if self._quiet:
            return
        for line in self._rows.hand(told) if isinstance(told, HandResult) else fault_block(told):
            self._print(line)

    def end(self, result: MatchResult) -> None:
        self._print(Text("\nResult: the sum over all games", style="bold"))
        self._out.print(result_table(result))

    def _print(self, line: Text) -> None:
        self._out.print(line)


def _to_mapping(
    result: MatchResult, conditions: Conditions, rules: Rules, seed: Seed, follower: _Follower
) -> dict[str, Any]:
    """Return the match as plain data; the help text tells its form."""
    entrants = tuple(seat.entrant for seat in result.seats)
    summary = summarize(result)
    return {
        "version": JSON_VERSION,
        "players": len(entrants),
        "sizes": list(conditions.rules.sizes),
        "rules": rules.to_mapping(),
        "seed": seed.text,
        "guessable_seed": seed.guessable,
        "deal": result.deal,
        "clock": msgspec.to_builtins(conditions.clock),
        "entrants": [
            {
                "id": seat.entrant,
                "snapshot": seat.snapshot.hex(),
                "rank": seat.rank,
                "total": seat.total,
                "bids_made": None if seat.stand_in else round(short.bids_made / summary.hands, 6),
                "stand_in": seat.stand_in,
            }
            for seat, short in zip(result.seats, summary.seats, strict=True)
        ],
        "games": [
            {
                "rotation": game.rotation,
                "seats": list(entrants_by_seat(entrants, game.rotation)),
                "totals": list(game.totals),
                "hands": [_hand(hand, follower.deal) for hand in follower.hands[game.rotation]],
            }
            for game in result.games
        ],
        "faults": [_fault(fault) for fault in result.faults],
    }


def _hand(hand: HandResult, deal: GameDeal) -> dict[str, Any]:
    return {
        "hand": hand.number,
        "size": hand.size,
        "turned": deal.hands[hand.number].turned,
        "trump": hand.trump,
        "bids": list(hand.bids),
        "won": list(hand.won),
        "points": list(hand.points),
        "totals": list(hand.totals),
    }


def _fault(fault: FaultRecord) -> dict[str, Any]:
    return {
        "entrant": fault.entrant,
        "seat": fault.seat,
        "rotation": fault.rotation,
        "decision": fault.decision,
        "kind": fault.kind,
        "detail": fault.detail,
        "raw": fault.raw.decode(errors="backslashreplace"),
        "stderr": fault.stderr.decode(errors="backslashreplace"),
    }
