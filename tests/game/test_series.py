"""A whole game: dealers, totals, results, places."""

import pytest

from runner.game.deal import GameDeal, HandDeal
from runner.game.hand import IllegalAction, Trick
from runner.game.presets import PRESETS
from runner.game.rules import Rules
from runner.game.series import HandResult, Series, places

from .playing import bid_all, play_all, start


def small_game():
    """Three seats, hands of 2 and 1, seat 2 deals first; spades and then no trump."""
    rules = Rules.from_mapping({"sizes": [2, 1], "no_trump": "last", "first_dealer": 2, "change_bid": False})
    hands = (
        HandDeal((("2C", "AS"), ("3C", "4C"), ("KC", "2H")), "9S", "S"),
        HandDeal((("2D",), ("3D",), ("AC",)), None, None),
    )
    return Series(rules.for_players(3), GameDeal(2, hands))


def test_a_game_of_two_hands():
    """Results as they come, the deal passing clockwise, totals running, and the end."""
    series = small_game()
    bid_all(series.hand, 1, 0, 0)
    play_all(series.hand, "AS 4C KC")
    play_all(series.hand, "2C 3C 2H")
    assert series.finish_hand() == HandResult(
        number=0,
        size=2,
        trump="S",
        bids=(1, 0, 0),
        won=(1, 1, 0),
        points=(11, 0, 10),
        totals=(11, 0, 10),
        tricks=(Trick(0, 0, ("AS", "4C", "KC")), Trick(0, 1, ("2C", "3C", "2H"))),
    )
    assert (series.number, series.hand.dealer, series.hand.turn, series.over) == (1, 0, 1, False)
    bid_all(series.hand, 1, 1, 0)
    play_all(series.hand, "3D AC 2D")
    result = series.finish_hand()
    assert (result.points, result.totals, result.trump) == ((10, 11, 0), (21, 11, 10), None)
    assert (series.over, series.totals, series.number) == (True, [21, 11, 10], 1)


def test_a_hand_is_counted_when_it_is_over_and_once():
    """An unfinished hand is not counted, nor the last one twice."""
    series = start(PRESETS["classic"].rules, 4, 1)
    with pytest.raises(IllegalAction, match="last trick"):
        series.finish_hand()
    assert series.number == 0
    series = small_game()
    series.over = True
    with pytest.raises(IllegalAction, match="game is over"):
        series.finish_hand()


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ((50, 50, 40), (1, 1, 3)),
        ((10, 30, 20), (3, 1, 2)),
        ((7, 7, 7), (1, 1, 1)),
        ((-2, 5, -2, 0), (3, 1, 3, 2)),
        ((1, 2, 2, 3), (4, 2, 2, 1)),
        ((42, 23, 32, 10), (1, 3, 2, 4)),
    ],
)
def test_places(totals, expected):
    """Equal totals share the better place."""
    assert places(totals) == expected
