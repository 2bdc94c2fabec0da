"""Plays a stored game again from its record: the same referee, with the log in the players' place."""

from collections.abc import Callable, Mapping

from runner.errors import OhHellError
from runner.game.cards import PACK
from runner.game.deal import GameDeal, stand_in_stream
from runner.game.hand import IllegalAction
from runner.game.rules import GameRules
from runner.game.stream import Stream
from runner.protocol.events import GameEnded, Observer
from runner.protocol.faults import Fault
from runner.protocol.lines import Reply
from runner.record.log import GameLog, decode_log
from runner.referee.game import MAY_CHANGE, Request, play_game
from runner.table.conditions import Conditions
from runner.table.results import MatchResult

# Told of a decision, by its number in the game, and of the answer to it, before what comes of it is observed.
OnDecision = Callable[[int, Request, Reply | Fault], None]


class ReplayError(OhHellError):
    """A record that does not follow from its deal by the rules."""

    exit_code = 1


def seats_absent(result: MatchResult, rotation: int) -> frozenset[int]:
    """Return the seats that the stand-in held from the first card in this game of the match.

    They are those of entrants that faulted in an earlier game or before this one's first request, and of those that
    were disqualified before the match: a stand-in without a fault.
    """
    before = {each.entrant for each in result.faults if (each.rotation, each.decision) < (rotation, 0)}
    blamed = {each.entrant for each in result.faults}
    players = len(result.seats)
    return frozenset(
        (index + rotation) % players
        for index, seat in enumerate(result.seats)
        if seat.stand_in and (seat.entrant in before or seat.entrant not in blamed)
    )


def replay_game(
    rules: GameRules,
    deal: GameDeal,
    log: GameLog,
    stand_in: Callable[[int], Stream],
    *,
    observe: Observer,
    faulted: Mapping[int, int],
    absent: frozenset[int] = frozenset(),
    on_decision: OnDecision | None = None,
    every_act: bool = True,
) -> GameEnded:
    """Play `log` through the rules and return how it ended; `observe` hears what a listener at the table heard.

    `faulted` has, by seat, the number of the decision at which it faulted in this game; `absent` are the seats that
    the stand-in held from the first card. Stand-in moves are derived anew and must be those of the log.
    Raises `ReplayError` that names the first act that does not fit.
    """
    acts = bytearray()
    game = play_game(rules, deal, stand_in, acts=acts, absent=absent, observe=observe, every_act=every_act)
    decision = met = 0
    try:
        request = next(game)
        while True:
            fault_due = decision == faulted.get(request.seat)
            answer = _answer(request, log, len(acts), fault_due)
            if on_decision is not None:
                on_decision(decision, request, answer)
            met += fault_due
            decision += 1
            request = game.send(answer)
    except StopIteration as stop:
        ended: GameEnded = stop.value
    except IllegalAction as error:
        raise ReplayError(f"act {len(acts)} of the record breaks the rules: {error}") from None
    if acts != log.acts:
        first = next((i for i, (a, b) in enumerate(zip(acts, log.acts, strict=False)) if a != b), len(acts))
        raise ReplayError(f"act {first} of the record is not what the deal and the rules lead to")
    if decision != len(log.times_us):
        raise ReplayError(f"the record has times for {len(log.times_us)} decisions, the game has {decision}")
    if met != sum(0 <= at < decision for at in faulted.values()):
        raise ReplayError("the record has a fault at a decision that was another seat's")
    return ended


def replay_stored(
    result: MatchResult,
    rotation: int,
    conditions: Conditions,
    deal: GameDeal,
    *,
    observe: Observer,
    on_decision: OnDecision,
    every_act: bool = True,
) -> GameEnded:
    """Play one game of a stored match again; `deal` is that match's. Raises `ReplayError` and `RecordError`."""
    game = next(each for each in result.games if each.rotation == rotation)
    return replay_game(
        conditions.rules,
        deal,
        decode_log(game.log),
        lambda seat: stand_in_stream(conditions.seed, result.deal, rotation, seat),
        observe=observe,
        faulted={
            each.seat: each.decision for each in result.faults if each.rotation == rotation and each.decision >= 0
        },
        absent=seats_absent(result, rotation),
        on_decision=on_decision,
        every_act=every_act,
    )


def _answer(request: Request, log: GameLog, position: int, faulted: bool) -> Reply | Fault:
    if faulted:
        return Fault("died", "as recorded")
    if position >= len(log.acts):
        raise ReplayError(f"the record ends at act {position}, before the game does")
    act = log.acts[position]
    if request.kind == "play":
        if act >= len(PACK):
            raise ReplayError(f"act {position} of the record is no card: {act}")
        return Reply(PACK[act])
    return Reply(act & ~MAY_CHANGE, final=not act & MAY_CHANGE)
