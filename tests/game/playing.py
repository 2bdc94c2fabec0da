"""What the game's tests share: made hands, random play, random rules, and the rules written a second time."""

from hypothesis import settings
from hypothesis import strategies as st

from runner.game.checks import SEQUENCE_KEYS
from runner.game.deal import HandDeal, deal_game
from runner.game.hand import Hand
from runner.game.presets import PRESETS
from runner.game.rules import Rules, RulesError
from runner.game.series import Series

SEED = bytes(range(32))
RANKS = "23456789TJQKA"

bounded = settings(derandomize=True, deadline=None, max_examples=60)


def make_hand(cards, dealer=0, trump=None, turned=None, **rules):
    """A hand of the seats' `cards` (one string each); rules not named are classic without hook and change of bid."""
    seats = tuple(tuple(text.split()) for text in cards)
    size = len(seats[0])
    options = {"hook": False, "change_bid": False, "sizes": [size]} | rules
    game_rules = Rules.from_mapping(options).for_players(len(seats))
    return Hand(game_rules, 0, HandDeal(seats, turned, turned[1] if turned else trump), dealer)


def bid_all(hand, *bids):
    for bid in bids:
        hand.bid(hand.turn, bid)


def play_all(hand, cards):
    """Play `cards` in turn; return the last act."""
    return [hand.play(hand.turn, card) for card in cards.split()][-1]


def act_at_random(hand, random):
    """Make a random legal act for the seat to act; return it."""
    if hand.phase == "bidding":
        return hand.bid(hand.turn, random.choice(hand.legal_bids()))
    return hand.play(hand.turn, random.choice(hand.legal_cards()))


def start(rules, players, seed):
    game_rules = rules.for_players(players)
    return Series(game_rules, deal_game(game_rules, seed.to_bytes(32, "big"), "0"))


def positions(series, random):
    """Play the whole game at random, stopping before every act."""
    while not series.over:
        while series.hand.turn is not None:
            yield series.hand
            act_at_random(series.hand, random)
        series.finish_hand()


def with_cards(series, cards):
    """A game like `series` whose hand holds other cards."""
    other = series.copy()
    other.hand.cards = [sorted(held, key=number) for held in cards]
    return other


def number(card):
    return 13 * "CDHS".index(card[1]) + RANKS.index(card[0])


# The rules once more, as slowly and plainly as they can be said.


def may_play(held, card, trick, trump, must_trump):
    if card not in held:
        return False
    if not trick:
        return True
    led = trick[0][1]
    if any(other[1] == led for other in held):
        return card[1] == led
    if must_trump and trump is not None and any(other[1] == trump for other in held):
        return card[1] == trump
    return True


def winner_of(leader, cards, trump):
    led = cards[0][1]
    contenders = [card for card in cards if card[1] == trump] or [card for card in cards if card[1] == led]
    best = max(contenders, key=lambda card: RANKS.index(card[0]))
    return (leader + cards.index(best)) % len(cards)


def points_of(rules, size, bid, won):
    made = {"ten": 10, "size": 5 + size}[rules.zero] if bid == 0 else 10 + bid
    missed = {"zero": 0, "tricks": won, "difference": -max(bid - won, won - bid)}[rules.miss]
    return made if bid == won else missed


@st.composite
def any_rules(draw):
    """Rules, and a number of players who can play them."""
    players = draw(st.integers(3, 7))
    most = 52 // players
    mapping = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "sequence": st.sampled_from(["down_up", "up", "down", "up_down"]),
                "max": st.integers(1, most) | st.just({p: 52 // p for p in range(3, 8)}),
                "turn_twice": st.booleans(),
                "ones_per_player": st.booleans(),
                "sizes": st.lists(st.integers(1, most), min_size=1, max_size=6),
                "first_dealer": st.just("draw") | st.integers(0, players - 1),
                "bids": st.sampled_from(["in_turn", "sealed"]),
                "hook": st.booleans() | st.integers(1, 7),
                "change_bid": st.booleans(),
                "trump": st.sampled_from(["turned", "list"]),
                "trumps": st.lists(st.sampled_from(["C", "D", "H", "S", "NT"]), min_size=1, max_size=5),
                "no_trump": st.sampled_from(["none", "last", "largest"]),
                "must_trump": st.booleans(),
                "blind": st.sampled_from(["never", "last", "ones"]),
                "miss": st.sampled_from(["zero", "tricks", "difference"]),
                "zero": st.sampled_from(["ten", "size"]),
            },
        )
    )
    mapping = _without_contradictions(mapping, players)
    rules = Rules.from_mapping(mapping)
    return rules, players


def _without_contradictions(mapping, players):
    if "sizes" in mapping:
        mapping = {key: value for key, value in mapping.items() if key not in SEQUENCE_KEYS}
    while True:
        try:
            Rules.from_mapping(mapping).for_players(players)
        except RulesError as error:
            neutral = {
                "bids": "in_turn",
                "hook": False,
                "change_bid": False,
                "trump": "turned",
                "trumps": None,
                "turn_twice": False,
            }
            neutral |= {"must_trump": False, "blind": "never"}
            mapping = mapping | {key: neutral[key] for key, _ in error.problems}
        else:
            return mapping


any_game = st.one_of(any_rules(), st.tuples(st.sampled_from([p.rules for p in PRESETS.values()]), st.integers(3, 7)))
