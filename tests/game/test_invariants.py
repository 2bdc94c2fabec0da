"""What must hold in every game, whatever the rules: random legal play against the rules written a second time."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.game.cards import PACK
from runner.game.deal import GameDeal, HandDeal, deal_game
from runner.game.presets import PRESETS
from runner.game.series import Series
from runner.game.view import view

from .playing import (
    act_at_random,
    any_game,
    bounded,
    may_play,
    number,
    points_of,
    positions,
    start,
    winner_of,
    with_cards,
)

seeds = st.integers(0, 2**64)


def check_hand_dealt(hand, deal):
    """Cards dealt plus turned are all different, sorted, and as many as the hand has."""
    cards = [card for held in deal.cards for card in held]
    assert len(set(cards) | {deal.turned} - {None}) == len(cards) + (deal.turned is not None)
    assert all(len(held) == hand.size and list(held) == sorted(held, key=number) for held in deal.cards)
    assert deal.turned is None or deal.trump == deal.turned[1]


def check_legal(hand):
    """The legal answers are those of the plain rules."""
    seat, rules = hand.turn, hand.game_rules.rules
    if hand.phase == "bidding":
        others = [bid for bid in hand.bids if bid is not None]
        barred = bool(rules.hook) and hand.size >= rules.hook and len(others) == hand.players - 1
        assert hand.legal_bids() == [
            bid for bid in range(hand.size + 1) if not barred or sum(others) + bid != hand.size
        ]
    else:
        held = hand.cards[seat]
        assert hand.legal_cards() == [
            card for card in PACK if may_play(held, card, hand.trick, hand.trump, rules.must_trump)
        ]


def check_result(result, hand, totals_before):
    """Winners, tricks won and points are those of the plain rules."""
    rules = hand.game_rules.rules
    assert [trick.leader for trick in result.tricks] == [
        (hand.dealer + 1) % hand.players,
        *(trick.winner for trick in result.tricks[:-1]),
    ]
    assert all(trick.winner == winner_of(trick.leader, trick.cards, hand.trump) for trick in result.tricks)
    winners = [trick.winner for trick in result.tricks]
    assert result.won == tuple(winners.count(seat) for seat in range(hand.players))
    assert sum(result.won) == hand.size
    if rules.hook and hand.size >= rules.hook:
        assert sum(result.bids) != hand.size
        assert result.bids != result.won
    assert result.points == tuple(
        points_of(rules, hand.size, bid, won) for bid, won in zip(result.bids, result.won, strict=True)
    )
    assert result.totals == tuple(a + b for a, b in zip(totals_before, result.points, strict=True))


def check_game(rules, players, seed):
    series, random = start(rules, players, seed), Random(seed)
    number_of_hands = 0
    while not series.over:
        hand, totals = series.hand, tuple(series.totals)
        assert (series.number, hand.dealer) == (
            number_of_hands,
            (series.deal.first_dealer + number_of_hands) % players,
        )
        check_hand_dealt(hand, series.deal.hands[number_of_hands])
        while hand.turn is not None:
            check_legal(hand)
            act_at_random(hand, random)
        assert not any(hand.cards)
        check_result(series.finish_hand(), hand, totals)
        number_of_hands += 1
    assert number_of_hands == len(series.rules.sizes)


@pytest.mark.parametrize("players", range(3, 8))
@pytest.mark.parametrize("name", PRESETS)
def test_whole_games_of_every_preset(name, players):
    """Two random games of every preset with every number of players keep every rule."""
    for seed in (1, 2):
        check_game(PRESETS[name].rules, players, seed)


@bounded
@given(any_game, seeds)
def test_whole_games_of_any_rules(game, seed):
    """A random game under random rules keeps every rule."""
    check_game(*game, seed)


@bounded
@given(any_game, seeds, st.permutations("CDHS"))
def test_renaming_the_suits_changes_no_winner(game, seed, suits):
    """The same game with other names for the suits is won by the same seats."""
    renamed = dict(zip("CDHS", suits, strict=True))

    def rename(card):
        return card and card[0] + renamed[card[1]]

    series, random = start(*game, seed), Random(seed)
    hands = tuple(
        HandDeal(
            tuple(tuple(sorted(map(rename, held), key=number)) for held in deal.cards),
            rename(deal.turned),
            deal.trump and renamed[deal.trump],
        )
        for deal in series.deal.hands
    )
    other = Series(series.rules, GameDeal(series.deal.first_dealer, hands))
    while not series.over:
        while series.hand.turn is not None:
            bidding = series.hand.phase == "bidding"
            act = act_at_random(series.hand, random)
            other.hand.bid(act.seat, act.bid) if bidding else other.hand.play(act.seat, rename(act.card))
        one, two = series.finish_hand(), other.finish_hand()
        assert [trick.winner for trick in one.tricks] == [trick.winner for trick in two.tricks]
        assert (one.won, one.totals) == (two.won, two.totals)


def unseen(hand, seat):
    """The cards that `seat` cannot see: of which hands, and those left in the pack."""
    hidden = [other for other in range(hand.players) if (other == seat) == hand.blind]
    known = {hand.turned, *hand.trick, *(card for trick in hand.tricks for card in trick.cards)}
    known |= {card for other, held in enumerate(hand.cards) if other not in hidden for card in held}
    return hidden, [card for card in PACK if card not in known]


@bounded
@given(any_game, seeds)
def test_unseen_cards_change_no_view(game, seed):
    """Before every act, and for every seat, other cards where it cannot see leave its view as it was."""
    series, random = start(*game, seed), Random(seed)
    for hand in positions(series, random):
        for seat in range(hand.players):
            hidden, cards = unseen(hand, seat)
            random.shuffle(cards)
            other = with_cards(
                series,
                [[cards.pop() for _ in held] if place in hidden else held for place, held in enumerate(hand.cards)],
            )
            assert view(other, seat) == view(series, seat)
            if seat == hand.turn and not hand.blind:
                assert other.hand.legal_cards() == hand.legal_cards()
                assert other.hand.legal_bids() == hand.legal_bids()


@bounded
@given(st.integers(3, 7), seeds)
def test_sealed_bids_change_no_view(players, seed):
    """While bids are sealed a view is the same whatever has been bid, and by how many the hand is played."""
    rules = PRESETS["ascending"].rules.from_mapping({"bids": "sealed"}, PRESETS["ascending"].rules)
    series, random = start(rules, players, seed), Random(seed)
    before = [view(series, seat) for seat in range(players)]
    while series.hand.phase == "bidding":
        assert [view(series, seat) for seat in range(players)] == before
        act_at_random(series.hand, random)
    assert all(view(series, seat).bids == tuple(series.hand.bids) for seat in range(players))


@bounded
@given(any_game, seeds, seeds)
def test_a_copy_goes_on_by_itself(game, seed, other_seed):
    """Playing a copy on leaves the original as it was, and the same acts give the same end."""
    series, random = start(*game, seed), Random(seed)
    for _, _hand in zip(range(other_seed % 100), positions(series, random), strict=False):
        pass
    views = [view(series, seat) for seat in range(series.rules.players)]
    copies = [series.copy() for _ in range(3)]
    for one, luck in zip(copies, (other_seed, seed, seed), strict=True):
        for _ in positions(one, Random(luck)):
            pass
    assert [view(series, seat) for seat in range(series.rules.players)] == views
    assert copies[1].totals == copies[2].totals
    assert copies[1].over
    assert series.copy().totals is not series.totals


def test_a_deal_is_a_function_of_its_name():
    """The same seed and name give the same deal, another name another one."""
    game_rules = PRESETS["classic"].rules.for_players(4)
    seed = bytes(32)
    assert deal_game(game_rules, seed, "a.0") == deal_game(game_rules, seed, "a.0")
    assert deal_game(game_rules, seed, "a.0") != deal_game(game_rules, seed, "a.1")
