"""Dealing, the first dealer's draw, seats, stand-ins and bots' seeds, from the published construction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.game.cards import NUMBER, PACK
from runner.game.deal import bot_seed, deal_game, deal_hand, draw_dealer, seat_order, stand_in_stream
from runner.game.presets import PRESETS, resolve_rules
from runner.game.stream import Stream

from .playing import SEED, bounded, number

HAND_0 = [32, 18, 29, 19, 15, 27, 5, 3, 30, 7, 12, 43]


def pack_of(*cards):
    """A pack, as card numbers, that begins with `cards`."""
    first = [NUMBER[card] for card in cards]
    return first + [other for other in range(52) if other not in first]


def test_the_pack():
    """Card number = 13 * suit + rank, suits C D H S, ranks 2 to A."""
    assert PACK[:13] == ("2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC")
    assert [PACK[n] for n in (13, 26, 39, 51)] == ["2D", "2H", "2S", "AS"]
    assert all(NUMBER[card] == number(card) == place for place, card in enumerate(PACK))


def test_a_published_hand():
    """Hand 0 of deal 0 in the game ascending, dealt by a fixed first dealer: 8H 7D 5H turned after one card each."""
    rules = resolve_rules({"preset": "ascending", "first_dealer": 3}).for_players(4)
    deal = deal_game(rules, SEED, "0")
    assert deal.first_dealer == 3
    # Numbers 32 18 29 19 15: from seat 0, the dealer's left, and the fifth is turned.
    assert deal.hands[0].cards == (("8H",), ("7D",), ("5H",), ("8D",))
    assert (deal.hands[0].turned, deal.hands[0].trump) == ("4D", "D")
    # Hand 1, two cards each, is dealt by seat 0: 29 25 15 22 | 14 17 50 20 | 46.
    assert deal.hands[1].cards == (("9D", "JD"), ("3D", "5H"), ("6D", "AD"), ("4D", "KS"))
    assert (deal.hands[1].turned, deal.hands[1].trump) == ("9S", "S")
    assert (deal.hands[12].turned, deal.hands[12].trump) == (None, None)


@bounded
@given(st.permutations(range(52)), st.integers(3, 7), st.data())
def test_cards_are_dealt_one_at_a_time(order, players, data):
    """A hand equals the deal done card by card, from the dealer's left."""
    size = data.draw(st.integers(1, 52 // players))
    dealer = data.draw(st.integers(0, players - 1))
    left, cards = [PACK[n] for n in order], [[] for _ in range(players)]
    for step in range(size * players):
        cards[(dealer + 1 + step) % players].append(left.pop(0))
    hand = deal_hand(order, players, size, "turned" if left else None, dealer)
    assert [set(held) for held in hand.cards] == [set(held) for held in cards]
    assert hand.turned == (left[0] if left else None)
    assert hand.trump == (left[0][1] if left else None)


def test_a_list_turns_nothing():
    """With a list the hand has the suit it names, or none, and no card is turned."""
    assert (deal_hand(pack_of(), 4, 1, "H", 0).turned, deal_hand(pack_of(), 4, 1, "H", 0).trump) == (None, "H")
    assert (deal_hand(pack_of(), 4, 1, None, 0).turned, deal_hand(pack_of(), 4, 1, None, 0).trump) == (None, None)


@pytest.mark.parametrize(
    ("players", "cards", "dealer"),
    [
        (3, "2C KD QH", 1),
        (4, "2C 3D 4H 5S", 3),
        # The suits have no rank: seats 0 and 2 tie and draw on, in seat order.
        (3, "AC KD AS 2C 3C", 2),
        (3, "AC KD AS 4C 3C", 0),
        # A tie within the tie, and only the tied draw: the next cards are 9H 9D, then 5C 6C.
        (4, "AC KD AS 2H 9H 9D 5C 6C", 2),
        (5, "TC TD TH TS 2C 7C 7D 3H 7S 4C 5C 6C", 3),
        (7, "2C 2D 2H 2S 3C 3D 3H KC KD AC 4C", 6),
    ],
)
def test_the_first_dealers_draw(players, cards, dealer):
    """The highest rank deals; the tied seats draw on from the same shuffle."""
    assert draw_dealer(pack_of(*cards.split()), players) == dealer


def test_a_draw_that_never_ends():
    """A pack that ties four players to its last card still gives a dealer."""
    assert draw_dealer([13 * suit + rank for rank in range(13) for suit in range(4)], 4) == 0


def test_the_draw_of_a_game():
    """A game's first dealer is drawn from the label `draw`."""
    rules = PRESETS["classic"].rules.for_players(5)
    for name in map(str, range(20)):
        drawn = [n % 13 for n in Stream(SEED, f"deal/{name}/draw").shuffle(52)[:5]]
        if drawn.count(max(drawn)) == 1:
            assert deal_game(rules, SEED, name).first_dealer == drawn.index(max(drawn))


def test_the_dealt_cards_do_not_depend_on_other_hands():
    """Each hand has its own shuffle: the same hand in another sequence has the same cards."""
    one = deal_game(resolve_rules({"sizes": [3, 5, 2], "first_dealer": 0}).for_players(4), SEED, "7")
    two = deal_game(resolve_rules({"sizes": [1, 5, 9], "first_dealer": 0}).for_players(4), SEED, "7")
    assert one.hands[1] == two.hands[1]
    assert one.hands[0] != two.hands[0]


def test_the_order_of_seats():
    """The sorted ids in the order that the label `seats` shuffles them to; who is named first does not matter."""
    order = Stream(SEED, "deal/x.0/seats").shuffle(4)
    expected = tuple("abcd"[i] for i in order)
    assert seat_order(SEED, "x.0", ["d", "b", "a", "c"]) == seat_order(SEED, "x.0", list("abcd")) == expected


def test_streams_of_their_own():
    """Stand-ins and bots' seeds come from their labels; a seed has 31 bits."""
    assert stand_in_stream(SEED, "0", 1, 2).shuffle(52) == Stream(SEED, "deal/0/stand-in/1/2").shuffle(52)
    seeds = {bot_seed(SEED, "0", rotation, seat) for rotation in range(4) for seat in range(4)}
    assert len(seeds) == 16
    assert max(seeds) < 2**31
    assert bot_seed(SEED, "0", 3, 1) == Stream(SEED, "deal/0/bot/3/1").word() // 2
