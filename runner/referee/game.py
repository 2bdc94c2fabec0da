"""A game without I/O: a generator that yields one request at a time and is sent a reply or a fault.

Whoever drives it decides where answers come from: bot processes, a person at a terminal, a script in a test, or a
stored record. A seat is asked only where it has a choice; all other acts are made here.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from runner.game.cards import NUMBER, Card
from runner.game.deal import GameDeal
from runner.game.hand import BidMade, Hand
from runner.game.rules import GameRules
from runner.game.series import Series, places
from runner.game.stream import Stream
from runner.game.view import View, view
from runner.protocol.events import BidsRevealed, GameEnded, HandDealt, Observer
from runner.protocol.faults import Fault
from runner.protocol.lines import Reply

# Raised by whatever changes the course of a game for the same answers; part of every match's key.
REFEREE_REVISION = 1

MAY_CHANGE = 0x80  # marks the act of a bid that is not final
MAX_ANSWERS_A_BID = 4  # with change of bid on; the fourth is final, so that asking again ends


class Request(NamedTuple):
    """A seat's turn with more than one legal answer. `standing` is its bid that stands and may still change."""

    seat: int
    kind: Literal["bid", "play"]
    legal: list[int] | list[Card]
    view: View
    standing: int | None


# Makes a request of its five fields at half the cost of the class's own constructor, which has to sort out defaults.
_request = partial(tuple.__new__, Request)

Game = Generator[Request, "Reply | Fault", GameEnded]


def play_game(
    rules: GameRules,
    deal: GameDeal,
    stand_in: Callable[[int], Stream],
    *,
    acts: bytearray,
    absent: frozenset[int] = frozenset(),
    observe: Observer,
    every_act: bool = False,
) -> Game:
    """Play a game; `acts` grows by one byte for every act, in order: a card's number, or a bid (see `MAY_CHANGE`).

    `absent` seats are played by the stand-in from the first card, others from their first fault on: the stand-in of
    seat s draws below(number of legal answers) from `stand_in(s)` where its seat would be asked, and never changes a
    bid. `observe` hears of every hand's end and the game's, with `every_act` of all else too, once it is public.
    """
    series = Series(rules, deal)
    observe_act = observe if every_act else None
    table = _Table(series, acts, stand_in, {seat: stand_in(seat) for seat in absent}, observe_act)
    while not series.over:
        hand = series.hand
        if observe_act is not None:
            observe_act(HandDealt(tuple(view(series, seat) for seat in range(rules.players))))
        yield from _bidding(table, hand)
        yield from _tricks(table, hand)
        observe(series.finish_hand())
    ended = GameEnded(tuple(series.totals), places(series.totals))
    observe(ended)
    return ended


@dataclass(slots=True)
class _Table:
    """What the two halves of a hand share; `sitting` has the streams of the stand-ins that have taken a seat."""

    series: Series
    acts: bytearray
    stand_in: Callable[[int], Stream]
    sitting: dict[int, Stream]
    observe_act: Observer | None

    def take_seat(self, seat: int) -> Stream:
        stream = self.sitting[seat] = self.stand_in(seat)
        return stream


def _bidding(table: _Table, hand: Hand) -> Generator[Request, Reply | Fault, None]:
    observe = table.observe_act
    sealed = table.series.rules.rules.bids == "sealed"
    while hand.phase == "bidding":
        seat = hand.turn
        assert seat is not None
        bid = yield from _final_bid(table, hand, seat)
        if observe is not None and not sealed:
            observe(BidMade(seat, bid))
    if observe is not None and sealed:
        observe(BidsRevealed(tuple(bid for bid in hand.bids if bid is not None)))


def _final_bid(table: _Table, hand: Hand, seat: int) -> Generator[Request, Reply | Fault, int]:
    """Get the bid of `seat`, asking again while it is not final; the bid that stands is made at once."""
    legal = hand.legal_bids()
    stream = table.sitting.get(seat)
    if len(legal) == 1 or stream is not None:
        bid = legal[0] if stream is None or len(legal) == 1 else legal[stream.below(len(legal))]
        hand.bid(seat, bid)
        table.acts.append(bid)
        return bid
    changes = table.series.rules.rules.change_bid and seat != hand.dealer
    make, standing = hand.bid, None
    for answers in range(1, MAX_ANSWERS_A_BID + 1):
        seen = view(table.series, seat, standing=standing is not None)
        answer = yield _request((seat, "bid", legal, seen, standing))
        if isinstance(answer, Fault):
            bid, final = legal[table.take_seat(seat).below(len(legal))], True
        else:
            bid, final = answer.value, answer.final or not changes or answers == MAX_ANSWERS_A_BID
        make(seat, bid)
        table.acts.append(bid if final else bid | MAY_CHANGE)
        if final:
            break
        make, standing = hand.change_bid, bid
    return bid


def _tricks(table: _Table, hand: Hand) -> Generator[Request, Reply | Fault, None]:
    series, acts, sitting, observe = table.series, table.acts, table.sitting, table.observe_act
    while (seat := hand.turn) is not None:
        legal = hand.legal_cards()
        if len(legal) == 1:
            card = legal[0]
        elif seat in sitting:
            card = legal[sitting[seat].below(len(legal))]
        else:
            answer = yield _request((seat, "play", legal, view(series, seat), None))
            card = legal[table.take_seat(seat).below(len(legal))] if isinstance(answer, Fault) else answer.value
        played = hand.play(seat, card)
        acts.append(NUMBER[card])
        if observe is not None:
            observe(played)
