"""Bids, tricks and points, act by act, and what is refused with which words."""

import pytest

from runner.game.hand import BidMade, CardPlayed, IllegalAction, Trick
from runner.game.rules import Rules
from runner.game.score import score

from .playing import bid_all, make_hand, play_all

FOUR = ["4D AS", "2H KS", "5S 9S", "JC 3S"]


def sketch_hand(**rules):
    """The hand of the protocol's sketch: dealer 3, 7H turned."""
    return make_hand(FOUR, dealer=3, turned="7H", hook=True, change_bid=True, **rules)


def test_a_hand_from_the_first_bid_to_the_points():
    """The protocol's sketch: bids with a change, the hook on seat 3, two tricks, the points."""
    hand = sketch_hand()
    assert (hand.phase, hand.turn, hand.leader, hand.trump, hand.size) == ("bidding", 0, 0, "H", 2)
    assert hand.legal_bids() == [0, 1, 2]
    assert hand.bid(0, 1) == BidMade(0, 1)
    assert hand.bid(1, 2) == BidMade(1, 2)
    assert hand.change_bid(1, 1) == BidMade(1, 1)
    hand.bid(2, 0)
    assert (hand.turn, hand.legal_bids()) == (3, [1, 2])
    hand.bid(3, 1)
    assert (hand.phase, hand.turn, hand.bids) == ("playing", 0, [1, 1, 0, 1])
    assert hand.legal_bids() == []
    assert hand.legal_cards() == ["4D", "AS"]
    assert hand.play(0, "AS") == CardPlayed(0, "AS", None)
    assert (hand.turn, hand.legal_cards(), hand.trick) == (1, ["KS"], ["AS"])
    hand.play(1, "KS")
    assert hand.legal_cards() == ["5S", "9S"]
    hand.play(2, "5S")
    assert hand.play(3, "3S") == CardPlayed(3, "3S", Trick(0, 0, ("AS", "KS", "5S", "3S")))
    assert (hand.turn, hand.leader, hand.won, hand.trick) == (0, 0, [1, 0, 0, 0], [])
    assert play_all(hand, "4D 2H 9S JC").trick == Trick(0, 1, ("4D", "2H", "9S", "JC"))
    assert (hand.phase, hand.turn, hand.won) == ("over", None, [1, 1, 0, 0])
    assert hand.legal_cards() == []
    assert hand.points() == (11, 11, 10, 0)


# Bidding


@pytest.mark.parametrize(
    ("hook", "bids", "legal"),
    [
        (True, [0, 0], [0, 1]),
        (True, [1, 0], [0, 2]),
        (True, [1, 1], [1, 2]),
        (True, [2, 0], [1, 2]),
        (True, [2, 1], [0, 1, 2]),
        (2, [1, 0], [0, 2]),
        (False, [1, 0], [0, 1, 2]),
    ],
)
def test_the_hook(hook, bids, legal):
    """The last bidder may not make the total the hand's size, zero included; a total above it bars nothing."""
    hand = make_hand(["2C 3C", "4C 5C", "6C 7C"], dealer=1, hook=hook)
    assert hand.legal_bids() == [0, 1, 2]
    for bid in bids:
        hand.bid(hand.turn, bid)
        assert hand.turn == hand.dealer or hand.legal_bids() == [0, 1, 2]
    assert hand.legal_bids() == legal


def test_the_hook_from_some_size_up():
    """In a hand smaller than the number of the hook nobody is barred."""
    small = make_hand(["2C", "4C", "6C"], sizes=[1, 2], hook=2)
    bid_all(small, 0, 0)
    assert small.legal_bids() == [0, 1]


def test_the_hook_follows_a_changed_bid():
    """What is barred is worked out from the bids that stand."""
    hand = make_hand(["2C 3C", "4C 5C", "6C 7C"], hook=True, change_bid=True)
    bid_all(hand, 1, 0)
    assert hand.legal_bids() == [0, 2]
    hand.change_bid(2, 1)
    assert hand.legal_bids() == [1, 2]


@pytest.mark.parametrize(
    ("seat", "bid", "words"),
    [
        (2, 0, "seat 1 is to bid"),
        (1, 3, "whole number from 0 to 2"),
        (1, -1, "whole number from 0 to 2"),
        (1, True, "whole number from 0 to 2"),
        (1, 1.0, "whole number from 0 to 2"),
        (1, "1", "whole number from 0 to 2"),
    ],
)
def test_bids_that_are_refused(seat, bid, words):
    """Out of turn, out of range, or no whole number: refused, and nothing has changed."""
    hand = make_hand(["2C 3C", "4C 5C", "6C 7C"])
    assert not hand.can_bid(seat, bid)
    with pytest.raises(IllegalAction, match=words):
        hand.bid(seat, bid)
    assert (hand.bids, hand.turn) == ([None] * 3, 1)


def test_a_barred_bid_is_refused():
    """The sentence names the hook and the total."""
    hand = make_hand(["2C 3C", "4C 5C", "6C 7C"], hook=True)
    bid_all(hand, 1, 0)
    with pytest.raises(IllegalAction, match=r"Seat 0 cannot bid 1: the hook .* total 2"):
        hand.bid(0, 1)
    assert hand.can_bid(0, 2)


def test_bidding_ends():
    """No bid once everybody has bid, no card before."""
    hand = make_hand(["2C", "4C", "6C"])
    assert hand.legal_cards() == []
    with pytest.raises(IllegalAction, match="the bidding is not over"):
        hand.play(1, "4C")
    bid_all(hand, 0, 0, 0)
    with pytest.raises(IllegalAction, match="the bidding is over"):
        hand.bid(1, 0)


def test_change_of_bid():
    """A bid may be changed, to the same number too and repeatedly, until the next player has bid."""
    hand = make_hand(["2C", "4C", "6C"], dealer=0, change_bid=True)
    assert not hand.can_change_bid(1, 0)
    hand.bid(1, 0)
    assert hand.standing == 1
    assert hand.change_bid(1, 1) == hand.change_bid(1, 1) == BidMade(1, 1)
    assert not hand.can_change_bid(1, 2)
    assert not hand.can_change_bid(2, 1)
    hand.bid(2, 0)
    with pytest.raises(IllegalAction, match="only until the next player on the left has bid"):
        hand.change_bid(1, 0)
    hand.change_bid(2, 1)
    hand.bid(0, 1)
    assert hand.bids == [1, 1, 1]
    for seat in range(3):
        with pytest.raises(IllegalAction, match="the dealer's is final"):
            hand.change_bid(seat, 0)


def test_change_of_bid_is_a_choice():
    """With the option off no bid is changed."""
    hand = make_hand(["2C", "4C", "6C"])
    hand.bid(1, 0)
    assert hand.standing is None
    with pytest.raises(IllegalAction, match="change of bid is off"):
        hand.change_bid(1, 1)


def test_sealed_bids():
    """Each seat is asked clockwise from the dealer's left, and none is barred from any number."""
    hand = make_hand(["2C 3C", "4C 5C", "6C 7C"], dealer=1, bids="sealed")
    for seat in (2, 0, 1):
        assert (hand.turn, hand.legal_bids()) == (seat, [0, 1, 2])
        hand.bid(seat, 1)
    assert (hand.phase, hand.turn, hand.bids) == ("playing", 2, [1, 1, 1])


# Play


@pytest.mark.parametrize(
    ("must_trump", "trump", "held", "legal"),
    [
        (False, "H", "2C 9C AH 3S", "2C 9C"),
        (True, "H", "2C 9C AH 3S", "2C 9C"),
        (False, "H", "2D 9D AH 3S", "2D 9D AH 3S"),
        (True, "H", "2D 9D AH 3S", "AH"),
        (True, "H", "2D 9D 2H 3H", "2H 3H"),
        (True, "H", "2D 9D 2S 3S", "2D 9D 2S 3S"),
        (True, "C", "2D 9D 2S 3S", "2D 9D 2S 3S"),
    ],
)
def test_following(must_trump, trump, held, legal):
    """Clubs are led: follow if able; else any card, in La Podrida a trump if there is one, of any height."""
    hand = make_hand(
        ["TD JD QD KD", "TC JC QC KC", held],
        trump=trump,
        must_trump=must_trump,
    )
    bid_all(hand, 0, 0, 0)
    assert hand.legal_cards() == ["TC", "JC", "QC", "KC"]
    hand.play(1, "TC")
    assert hand.legal_cards() == legal.split()
    assert [card for card in held.split() if hand.can_play(2, card)] == legal.split()


def test_la_podrida_without_trump_is_empty():
    """In a hand without trump a void player plays any card."""
    hand = make_hand(["2H", "2C", "2D"], must_trump=True, sizes=[1, 2])
    bid_all(hand, 0, 0, 0)
    hand.play(1, "2C")
    assert hand.legal_cards() == ["2D"]


@pytest.mark.parametrize(
    ("trump", "cards", "winner"),
    [
        (None, "2C 3C 4C 5C", 0),
        (None, "5C AD AH AS", 1),
        ("D", "5C 2D AH AS", 2),
        ("D", "5C 2D 3D AC", 3),
        ("D", "5C 3D 2D AC", 2),
        ("C", "5C AD AH AS", 1),
        ("S", "5C 6C 4C TC", 0),
        ("S", "TC JC 2H QC", 0),
        ("S", "TC KC QH QC", 2),
    ],
)
def test_who_wins(trump, cards, winner):
    """Seat 1 leads: the highest trump wins, else the highest of the suit led; other cards never do."""
    lead, second, third, last = cards.split()
    hand = make_hand([last, lead, second, third], trump=trump)
    bid_all(hand, 0, 0, 0, 0)
    act = play_all(hand, cards)
    assert act.trick == Trick(1, winner, tuple(cards.split()))
    assert hand.won[winner] == sum(hand.won) == 1


def test_the_winner_leads():
    """The next trick starts with the winner of the last."""
    hand = make_hand(["2C 2D", "3C 3D", "AC AD"], dealer=2)
    bid_all(hand, 0, 0, 0)
    play_all(hand, "2C 3C AC")
    assert (hand.leader, hand.turn) == (2, 2)
    play_all(hand, "AD 2D 3D")
    assert [trick.leader for trick in hand.tricks] == [0, 2]


@pytest.mark.parametrize(
    ("must_trump", "seat", "card", "words"),
    [
        (False, 0, "2S", "seat 2 is to play"),
        (False, 2, "AH", "it does not hold that card"),
        (False, 2, "as", "it does not hold that card"),
        (False, 2, "2D", "a suit led must be followed, and it holds 5C 9C"),
        (True, 2, "2D", "a suit led must be followed, and it holds 5C 9C"),
    ],
)
def test_cards_that_are_refused(must_trump, seat, card, words):
    """Out of turn, not held, not following: refused, and nothing has changed."""
    hand = make_hand(["2S 3S 4S", "TC JC QC", "5C 9C 2D"], trump="H", must_trump=must_trump)
    bid_all(hand, 0, 0, 0)
    hand.play(1, "TC")
    with pytest.raises(IllegalAction, match=words):
        hand.play(seat, card)
    assert (hand.turn, hand.trick, len(hand.cards[2])) == (2, ["TC"], 3)


def test_a_trump_that_is_refused_to_keep():
    """La Podrida's sentence names the trumps held."""
    hand = make_hand(["2S 3S", "TC JC", "2D AS"], trump="S", must_trump=True)
    bid_all(hand, 0, 0, 0)
    hand.play(1, "TC")
    with pytest.raises(IllegalAction, match="void in the suit led it must play a trump, and it holds AS"):
        hand.play(2, "2D")


def test_a_card_is_played_once():
    """A card of an earlier trick is not held any more, and an ended hand takes no card."""
    hand = make_hand(["2C 2D", "AC AD", "3C 3D"])
    bid_all(hand, 0, 0, 0)
    play_all(hand, "AC 3C 2C")
    assert not hand.can_play(1, "AC")
    play_all(hand, "AD 3D 2D")
    with pytest.raises(IllegalAction, match="the hand is over"):
        hand.play(1, "AD")


# Score


@pytest.mark.parametrize(
    ("options", "bid", "won", "points"),
    [
        ({}, 0, 0, 10),
        ({}, 2, 2, 12),
        ({}, 2, 3, 0),
        ({}, 0, 1, 0),
        ({"miss": "tricks"}, 2, 2, 12),
        ({"miss": "tricks"}, 3, 2, 2),
        ({"miss": "tricks"}, 0, 3, 3),
        ({"miss": "tricks"}, 3, 0, 0),
        ({"miss": "difference"}, 2, 2, 12),
        ({"miss": "difference"}, 3, 1, -2),
        ({"miss": "difference"}, 0, 3, -3),
        ({"zero": "size"}, 0, 0, 12),
        ({"zero": "size"}, 1, 1, 11),
        ({"zero": "size"}, 0, 1, 0),
        ({"zero": "size", "miss": "tricks"}, 0, 4, 4),
        ({"zero": "size", "miss": "difference"}, 0, 4, -4),
    ],
)
def test_the_score(options, bid, won, points):
    """Every form of the score, in a hand of seven cards."""
    assert score(Rules.from_mapping(options), 7, bid, won) == points


def test_no_points_before_the_end():
    """Points of an unfinished hand are refused."""
    with pytest.raises(IllegalAction, match="last trick"):
        make_hand(["2C", "3C", "4C"]).points()
