"""What a seat is shown: ordinary hands, blind ones, sealed bids and bids that may change."""

import pytest

from runner.game.deal import GameDeal, HandDeal
from runner.game.hand import Trick
from runner.game.rules import Rules
from runner.game.series import Series
from runner.game.view import View, view

from .playing import bid_all, play_all

FOUR = (("4D", "AS"), ("2H", "KS"), ("5S", "9S"), ("JC", "3S"))


def game(cards=FOUR, turned="7H", **options):
    """A game of one hand that seat 3, or the last, deals."""
    size = len(cards[0])
    rules = Rules.from_mapping({"sizes": [size], "change_bid": False} | options).for_players(len(cards))
    trump = turned and turned[1]
    return Series(rules, GameDeal(len(cards) - 1, (HandDeal(cards, turned, trump),)))


def test_the_fields_in_the_order_of_the_protocol():
    """The order of a view's fields is that of a request's keys."""
    order = "hand size seat dealer turned trump cards shown bids won leader trick tricks totals"
    assert View._fields == tuple(order.split())


def test_a_view_while_bidding():
    """The dealer's left is to lead; nobody else's cards are shown."""
    series = game()
    bid_all(series.hand, 1)
    assert view(series, 1) == (
        0,
        2,
        1,
        3,
        "7H",
        "H",
        ("2H", "KS"),
        None,
        (1, None, None, None),
        (0, 0, 0, 0),
        0,
        (),
        (),
        (0, 0, 0, 0),
    )


def test_a_view_while_playing():
    """Own cards still held, all bids, every trick so far and the one on the table."""
    series = game()
    bid_all(series.hand, 1, 1, 0, 1)
    play_all(series.hand, "AS KS 5S 3S 4D 2H")
    assert view(series, 2) == View(
        hand=0,
        size=2,
        seat=2,
        dealer=3,
        turned="7H",
        trump="H",
        cards=("9S",),
        shown=None,
        bids=(1, 1, 0, 1),
        won=(1, 0, 0, 0),
        leader=0,
        trick=("4D", "2H"),
        tricks=(Trick(0, 0, ("AS", "KS", "5S", "3S")),),
        totals=(0, 0, 0, 0),
    )


def test_a_view_is_what_was_known_then():
    """A view kept is not changed by what is played later."""
    series = game()
    bid_all(series.hand, 1, 1, 0, 1)
    seen = view(series, 0)
    play_all(series.hand, "AS KS 5S 3S")
    series.totals[0] = 99
    assert (seen.cards, seen.trick, seen.tricks, seen.won, seen.totals) == (
        ("4D", "AS"),
        (),
        (),
        (0, 0, 0, 0),
        (0, 0, 0, 0),
    )


def test_a_blind_hand():
    """Each sees the others' cards and not its own; the card is played in turn as usual."""
    series = game((("QS",), ("9C",), ("2D",), ("KC",)), blind="last")
    for seat in range(4):
        seen = view(series, seat)
        assert seen.cards is None
        assert seen.shown == tuple(None if s == seat else series.deal.hands[0].cards[s] for s in range(4))
    bid_all(series.hand, 0, 0, 0, 0)
    play_all(series.hand, "QS")
    assert view(series, 1).shown == ((), None, ("2D",), ("KC",))
    assert view(series, 0).shown == (None, ("9C",), ("2D",), ("KC",))


def test_sealed_bids():
    """Nobody's bid is shown, the own one neither, until the last is in."""
    series = game(bids="sealed", hook=False)
    for _ in range(4):
        assert all(view(series, seat).bids == (None,) * 4 for seat in range(4))
        bid_all(series.hand, 2)
    assert all(view(series, seat).bids == (2, 2, 2, 2) for seat in range(4))


@pytest.mark.parametrize("standing", [False, True])
def test_a_bid_that_stands(standing):
    """While a bid may change, its owner's view has null for it."""
    series = game(change_bid=True)
    bid_all(series.hand, 1, 2)
    assert view(series, 1, standing).bids == (1, None if standing else 2, None, None)
