"""The referee: who is asked what and when, what is made of faults, and what is heard at the table."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.game.cards import NUMBER
from runner.game.deal import GameDeal, HandDeal
from runner.game.hand import BidMade, CardPlayed, IllegalAction
from runner.game.presets import resolve_rules
from runner.game.series import HandResult, Series
from runner.protocol.events import BidsRevealed, GameEnded, HandDealt
from runner.protocol.faults import Fault
from runner.protocol.lines import Reply
from runner.referee.game import MAX_ANSWERS_A_BID, MAY_CHANGE
from tests.game.playing import any_rules
from tests.referee.driving import at_random, drive, final_acts, first_legal, game_of, in_order, stand_in

FAULT = Fault("garbage", "made up")
bounded = settings(derandomize=True, deadline=None, max_examples=40)

FOUR = (("4D", "AS"), ("2H", "KS"), ("5S", "9S"), ("JC", "3S"))


def one_hand(cards=FOUR, turned="7H", **options):
    """Rules and a deal of one hand that the last seat deals."""
    rules = resolve_rules({"change_bid": False, "sizes": [len(cards[0])]} | options).for_players(len(cards))
    return rules, GameDeal(len(cards) - 1, (HandDeal(cards, turned, turned and turned[1]),))


def reply(*values):
    return [Reply(value) for value in values]


def test_one_hand_move_by_move():
    """Everybody bids; KS, 3S and the whole second trick are forced, so nobody is asked for them."""
    played = drive(*one_hand(), in_order(*reply(1, 1, 0, 1, "AS", "5S")))
    assert [(r.seat, r.kind, r.legal) for r in played.requests] == [
        (0, "bid", [0, 1, 2]),
        (1, "bid", [0, 1, 2]),
        (2, "bid", [0, 1, 2]),
        (3, "bid", [1, 2]),
        (0, "play", ["4D", "AS"]),
        (2, "play", ["5S", "9S"]),
    ]
    assert played.requests[3].view.bids == (1, 1, 0, None)
    assert played.requests[5].view.trick == ("AS", "KS")
    assert all(r.view.seat == r.seat and r.standing is None for r in played.requests)
    cards = ["AS", "KS", "5S", "3S", "4D", "2H", "9S", "JC"]
    assert list(played.acts) == [1, 1, 0, 1, *(NUMBER[card] for card in cards)]
    assert played.ended == GameEnded((11, 11, 10, 0), (1, 1, 3, 4))


def test_what_is_heard_of_one_hand():
    """Every act is told once, forced ones too, in order, between the deal and the result."""
    played = drive(*one_hand(), in_order(*reply(1, 1, 0, 1, "AS", "5S")))
    assert [type(fact) for fact in played.facts] == [
        HandDealt,
        *[BidMade] * 4,
        *[CardPlayed] * 8,
        HandResult,
        GameEnded,
    ]
    assert played.facts[0].views[2].cards == ("5S", "9S")
    assert [fact.bid for fact in played.facts[1:5]] == [1, 1, 0, 1]
    assert [fact.card for fact in played.facts[5:13]] == ["AS", "KS", "5S", "3S", "4D", "2H", "9S", "JC"]
    assert [fact.trick is not None for fact in played.facts[5:13]] == [False] * 3 + [True] + [False] * 3 + [True]
    assert played.facts[13].points == (11, 11, 10, 0)


def test_hands_and_the_end_are_always_heard():
    """Who does not listen to acts hears of each hand's end and of the game's; the game is the same."""
    game = game_of(sizes=[3, 1])
    loud, quiet = drive(*game), drive(*game, every_act=False)
    assert [type(fact) for fact in quiet.facts] == [HandResult, HandResult, GameEnded]
    assert quiet.facts == [fact for fact in loud.facts if isinstance(fact, HandResult | GameEnded)]
    assert quiet.acts == loud.acts


@bounded
@given(any_rules(), st.randoms(use_true_random=False))
def test_asked_where_there_is_a_choice_and_only_there(rules_and_players, random):
    """Stepping through the acts, a request belongs to each turn with an alternative, and to no other."""
    rules, players = rules_and_players
    game_rules, deal = game_of(players, random.randbytes(32), **rules.to_mapping())
    played = drive(game_rules, deal, at_random(random))
    series, requests, again = Series(game_rules, deal), iter(played.requests), False
    for act in played.acts:
        hand = series.hand
        seat, legal = hand.turn, (hand.legal_bids() if hand.phase == "bidding" else hand.legal_cards())
        if again or len(legal) > 1:
            request = next(requests)
            assert (request.seat, request.legal) == (seat, legal)
            assert (request.standing is not None) == again
        again = bool(act & MAY_CHANGE)
        if hand.phase == "playing":
            hand.play(seat, next(card for card in legal if NUMBER[card] == act))
        elif not again:
            hand.bid(seat, act)
        if hand.phase == "over":
            series.finish_hand()
    assert next(requests, None) is None
    assert series.over
    assert played.ended.totals == tuple(series.totals)


def test_most_acts_of_a_classic_game_are_asked():
    """With four players a game has 512 acts, of which about two thirds are asked, depending on how they play."""
    asked = []
    for seed in range(30):
        random = Random(seed)
        game = game_of(4, random.randbytes(32), change_bid=False)
        played = drive(*game, lambda request, random=random: Reply(random.choice(request.legal)))
        assert len(played.acts) == 512
        asked.append(len(played.requests))
    assert 335 < sum(asked) / len(asked) < 365


def test_a_bid_changes_up_to_the_fourth_answer():
    """Each answer that is not final is asked again with what stands; the fourth is final whatever it says."""
    answers = [Reply(bid, final=False) for bid in (0, 2, 2, 1)]
    played = drive(*one_hand(change_bid=True), in_order(*answers))
    mine = [request for request in played.asked("bid") if request.seat == 0]
    assert len(mine) == MAX_ANSWERS_A_BID == 4
    assert [request.standing for request in mine] == [None, 0, 2, 2]
    assert all(request.legal == [0, 1, 2] for request in mine)
    assert all(request.view.bids == (None,) * 4 for request in mine)
    assert list(played.acts[:5]) == [0 | MAY_CHANGE, 2 | MAY_CHANGE, 2 | MAY_CHANGE, 1, 0]
    assert played.requests[4].view.bids == (1, None, None, None)
    assert [fact for fact in played.facts if isinstance(fact, BidMade)][:2] == [BidMade(0, 1), BidMade(1, 0)]


def test_a_final_answer_ends_the_changing():
    """A bid once changed and then final is not asked again."""
    played = drive(*one_hand(change_bid=True), in_order(Reply(2, final=False), Reply(1)))
    assert [request.seat for request in played.asked("bid")] == [0, 0, 1, 2, 3]
    assert list(played.acts[:3]) == [2 | MAY_CHANGE, 1, 0]


def test_the_hook_counts_the_bids_that_stand():
    """The barred number comes from the changed bid; the dealer's own bid is final at once."""
    answers = (Reply(2, final=False), *reply(0, 1, 0), Reply(0, final=False))
    played = drive(*one_hand(change_bid=True), in_order(*answers))
    dealer = [request for request in played.asked("bid") if request.seat == 3]
    assert [request.legal for request in dealer] == [[0, 2]]
    assert list(played.acts[:5]) == [2 | MAY_CHANGE, 0, 1, 0, 0]


def test_final_means_nothing_without_change_of_bid():
    """Where bids cannot change, `final: false` is ignored."""
    played = drive(*one_hand(), lambda request: Reply(request.legal[0], final=False))
    assert len(played.asked("bid")) == 4
    assert final_acts(played.acts) == list(played.acts)


def test_sealed_bids():
    """Everybody is asked once, from the dealer's left on, sees no bid, and all are revealed at once."""
    played = drive(*one_hand(bids="sealed", hook=False), in_order(*reply(2, 1, 0, 2)))
    bids = played.asked("bid")
    assert [request.seat for request in bids] == [0, 1, 2, 3]
    assert all(request.view.bids == (None,) * 4 and request.legal == [0, 1, 2] for request in bids)
    assert all(request.view.bids == (2, 1, 0, 2) for request in played.asked("play"))
    facts = [fact for fact in played.facts if isinstance(fact, BidMade | BidsRevealed | CardPlayed)]
    assert facts[0] == BidsRevealed((2, 1, 0, 2))
    assert not any(isinstance(fact, BidMade | BidsRevealed) for fact in facts[1:])


def test_a_blind_hand():
    """Nobody is shown the own card or asked to play it."""
    cards = (("4D",), ("2H",), ("5S",), ("JC",))
    played = drive(*one_hand(cards, blind="last", hook=False))
    assert [request.kind for request in played.requests] == ["bid"] * 4
    for request in played.requests:
        assert request.view.cards is None
        assert request.view.shown == tuple(None if seat == request.seat else cards[seat] for seat in range(4))
    assert played.facts[0].views[1].shown == (("4D",), None, ("5S",), ("JC",))
    assert played.ended.totals == (10, 0, 10, 10)


def plain_stand_in(seat, legals):
    """What the stand-in of a seat answers where these are the legal answers."""
    stream = stand_in(seat)
    return [legal[stream.below(len(legal))] for legal in legals]


def test_the_stand_in_plays_on_after_a_fault():
    """From the faulted request on the stand-in answers from its stream, and the seat is asked no more."""
    rules, deal = game_of(4, sizes=[5, 5], change_bid=False)
    honest = drive(rules, deal)
    turns = [index for index, request in enumerate(honest.requests) if request.seat == 2]
    fault_at = turns[3]
    count = iter(range(10**6))
    played = drive(rules, deal, lambda request: FAULT if next(count) == fault_at else first_legal(request))
    assert played.requests[: fault_at + 1] == honest.requests[: fault_at + 1]
    assert all(request.seat != 2 for request in played.requests[fault_at + 1 :])
    assert _choices_of(rules, deal, played.acts, 2, skip=3) == plain_stand_in(
        2, _legals_of(rules, deal, played.acts, 2)[3:]
    )
    assert len(played.acts) == len(honest.acts)


def test_the_stand_in_sits_from_the_first_card():
    """An absent seat is asked nothing at all, and plays by its stream from the start."""
    rules, deal = game_of(4, sizes=[4, 1, 4])
    played = drive(rules, deal, absent={0, 3})
    assert {request.seat for request in played.requests} == {1, 2}
    for seat in (0, 3):
        legals = _legals_of(rules, deal, played.acts, seat)
        assert len(legals) >= 5
        assert _choices_of(rules, deal, played.acts, seat) == plain_stand_in(seat, legals)


def test_a_table_of_stand_ins():
    """A game in which everybody is absent asks nobody and ends."""
    played = drive(*game_of(3), absent={0, 1, 2})
    assert played.requests == []
    assert isinstance(played.ended, GameEnded)


def test_a_fault_while_a_bid_stands():
    """The stand-in's bid takes the place of the one that stood, and is final."""
    rules, deal = one_hand(change_bid=True)
    played = drive(rules, deal, in_order(Reply(2, final=False), FAULT))
    (bid,) = plain_stand_in(0, [[0, 1, 2]])
    assert list(played.acts[:2]) == [2 | MAY_CHANGE, bid]
    assert [request.seat for request in played.asked("bid")] == [0, 0, 1, 2, 3]


def _turns(rules, deal, acts):
    """Yield (seat, legal answers, answer) for every final act."""
    series = Series(rules, deal)
    for act in final_acts(acts):
        hand = series.hand
        seat = hand.turn
        if hand.phase == "bidding":
            yield seat, hand.legal_bids(), act
            hand.bid(seat, act)
        else:
            card = next(card for card in hand.cards[seat] if NUMBER[card] == act)
            yield seat, hand.legal_cards(), card
            hand.play(seat, card)
        if hand.phase == "over":
            series.finish_hand()


def _legals_of(rules, deal, acts, seat):
    return [legal for at, legal, _ in _turns(rules, deal, acts) if at == seat and len(legal) > 1]


def _choices_of(rules, deal, acts, seat, skip=0):
    return [act for at, legal, act in _turns(rules, deal, acts) if at == seat and len(legal) > 1][skip:]


@pytest.mark.parametrize("wrong", [Reply(3), Reply(-1), Reply(True), Reply(1.0), Reply("AS"), Reply(None)])
def test_a_driver_that_sends_an_illegal_bid_is_a_bug(wrong):
    """What is legal is checked before; a value that is not raises and is not played."""
    with pytest.raises(IllegalAction):
        drive(*one_hand(), in_order(wrong))


@pytest.mark.parametrize("wrong", [Reply("KS"), Reply(0), Reply("as")])
def test_a_driver_that_sends_an_illegal_card_is_a_bug(wrong):
    """The same for a card."""
    with pytest.raises(IllegalAction):
        drive(*one_hand(), in_order(*reply(1, 1, 0, 1), wrong))
