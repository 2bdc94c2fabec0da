"""What a seat may know of the hand in play: the only source of what a player is told."""

from typing import NamedTuple

from runner.game.cards import Card
from runner.game.hand import Hand, Trick
from runner.game.series import Series


class View(NamedTuple):
    """All that `seat` may know, in the order of the protocol; lists by seat, but `trick` and tricks from their leader.

    `cards` are its own in number order. In a blind hand they are None, and `shown` has the others' (None at the own
    place); else `shown` is None. `bids` has None for a bid that is not made, not final, or still sealed.
    """

    hand: int
    size: int
    seat: int
    dealer: int
    turned: Card | None
    trump: str | None
    cards: tuple[Card, ...] | None
    shown: tuple[tuple[Card, ...] | None, ...] | None
    bids: tuple[int | None, ...]
    won: tuple[int, ...]
    leader: int
    trick: tuple[Card, ...]
    tricks: tuple[Trick, ...]
    totals: tuple[int, ...]


def view(series: Series, seat: int, standing: bool = False) -> View:
    """Return what `seat` may know now; with `standing` its own bid, which may still change, is left out."""
    hand = series.hand
    # Built as a plain tuple: half the cost of the named one's own constructor, and this is asked for every decision.
    return tuple.__new__(
        View,
        (
            series.number,
            hand.size,
            seat,
            hand.dealer,
            hand.turned,
            hand.trump,
            None if hand.blind else tuple(hand.cards[seat]),
            _shown(hand, seat) if hand.blind else None,
            tuple(hand.bids) if hand.phase != "bidding" else _bids(hand, seat, standing),
            tuple(hand.won),
            hand.leader,
            tuple(hand.trick),
            tuple(hand.tricks),
            tuple(series.totals),
        ),
    )


def _shown(hand: Hand, seat: int) -> tuple[tuple[Card, ...] | None, ...]:
    return tuple(None if other == seat else tuple(cards) for other, cards in enumerate(hand.cards))


def _bids(hand: Hand, seat: int, standing: bool) -> tuple[int | None, ...]:
    if hand.game_rules.rules.bids == "sealed":
        return (None,) * hand.players
    bids = hand.bids
    return (*bids[:seat], None, *bids[seat + 1 :]) if standing else tuple(bids)
