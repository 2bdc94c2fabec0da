"""A seat is told what it may know: cards, bids and drafts of bids that it cannot see change no byte that it is sent."""

import json
from itertools import count
from random import Random

import pytest

from runner.entrant import session
from runner.entrant.session import Session
from runner.game.cards import PACK
from runner.game.deal import GameDeal, deal_hand
from runner.game.hand import IllegalAction
from runner.game.presets import resolve_rules
from runner.protocol.lines import Reply
from runner.protocol.messages import EVENT_NAMES, WireClock
from runner.referee.game import MAY_CHANGE, play_game
from runner.table.conditions import Conditions
from tests.protocol.staging import FakeProcess
from tests.referee.driving import at_random, drive, stand_in

CLOCK = WireClock(5_000, 1_000, 5_500, None)
FIRST_DEALER = 1
TRIALS = 30

RULES = {
    "turned, hook and change of bid": {"preset": "classic", "sizes": [4, 1, 3]},
    "nothing turned in the last hand": {"preset": "la-podrida", "sizes": [3, 4]},
    "nothing turned in the largest hands": {"preset": "german-bridge", "sizes": [4, 2, 4]},
    "sealed bids, no hook": {"preset": "ascending", "bids": "sealed", "sizes": [2, 5]},
    "a blind last hand": {"preset": "devils-bridge", "sizes": [3, 1]},
    "blind hands, sealed bids": {
        "blind": "ones",
        "bids": "sealed",
        "hook": False,
        "change_bid": False,
        "sizes": [1, 2, 1],
    },
    "blind hands, change of bid": {"preset": "rikiki", "change_bid": True, "sizes": [1, 1, 2]},
    "trumps from a list": {"preset": "nomination-whist", "sizes": [3, 3, 3]},
}


def deal(rules, orders):
    """The game whose packs lie in these orders."""
    hands = (
        deal_hand(order, rules.players, size, plan, (FIRST_DEALER + number) % rules.players)
        for number, (order, size, plan) in enumerate(zip(orders, rules.sizes, rules.trumps, strict=True))
    )
    return GameDeal(FIRST_DEALER, tuple(hands))


class Echo(FakeProcess):
    """Answers with the act of the history; keeps what it is sent."""

    def __init__(self):
        super().__init__(0, iter(()), [])
        self.reply = None

    def receive(self, limit):
        request = json.loads(self.tape[-1][2])
        key = "bid" if request["type"] == "request_bid" else "card"
        return json.dumps({"id": request["id"], key: self.reply.value, "final": self.reply.final}).encode()


def lines_to(seat, rules, game_deal, history, monkeypatch):
    """All that `seat` is sent while `history` happens, a request that comes next included; None if it cannot happen."""
    monkeypatch.setattr(session, "request_ids", lambda: count(1))
    process, taken = Echo(), bytearray()
    bot = Session(process, CLOCK, frozenset(EVENT_NAMES))
    bot.begin_game(Conditions(rules, bytes(32), CLOCK).game_start(seat, 7, None))

    def observe(fact):
        if len(taken) <= len(history):
            bot.hear(fact)

    game = play_game(rules, game_deal, stand_in, acts=taken, observe=observe, every_act=True)
    try:
        request = next(game)
        while len(taken) <= len(history):
            if len(taken) < len(history):
                act = history[len(taken)]
                reply = Reply(PACK[act]) if request.kind == "play" else Reply(act & ~MAY_CHANGE, not act & MAY_CHANGE)
            else:
                reply = Reply(request.legal[0])
            process.reply = reply
            if request.seat == seat:
                bot.ask(request.kind, request.legal, request.view, request.standing)
            if len(taken) == len(history):
                break
            request = game.send(reply)
    except StopIteration:
        pass
    except IllegalAction:
        return None
    if taken[: len(history)] != history:
        return None
    bot.close()
    return [text for _, _, text in process.tape]


def hidden_places(rules, number, order, seat, played):
    """The places in a hand's pack of the cards that `seat` cannot know once `played` (card numbers) have been."""
    players, dealt = rules.players, rules.sizes[number] * rules.players
    mine = (seat - (FIRST_DEALER + number) % players - 1) % players
    places = set(range(52))
    if rules.trumps[number] == "turned":
        places.discard(dealt)
    for place in range(dealt):
        is_mine = place % players == mine
        if is_mine != rules.blind[number] or order[place] in played:
            places.discard(place)
    return sorted(places)


def changed(rules, orders, seat, starts, history, random):
    """Other packs for the same public history: what `seat` cannot know is shuffled, in this hand and those to come."""
    others = []
    for number, (order, start) in enumerate(zip(orders, starts, strict=True)):
        end = starts[number + 1] if number + 1 < len(starts) else len(history) + 1
        if end <= len(history):
            others.append(order)  # over: all that was dealt is known
            continue
        played = set(history[start:][_bids_in(rules, history[start:]) :])
        places = hidden_places(rules, number, order, seat, played)
        cards = [order[place] for place in places]
        random.shuffle(cards)
        other = list(order)
        for place, card in zip(places, cards, strict=True):
            other[place] = card
        others.append(other)
    return others


def _bids_in(rules, acts):
    """How many of a hand's acts are bids, drafts included."""
    final = 0
    for index, act in enumerate(acts):
        if final == rules.players:
            return index
        final += not act & MAY_CHANGE
    return len(acts)


def with_other_secrets(rules, history, starts, seats, seat, random):
    """`history` with other bids wherever `seat` cannot know them: drafts, and sealed bids before they are revealed."""
    acts = bytearray(history)
    number = max(index for index, start in enumerate(starts) if start <= len(history))
    for index, act in enumerate(history):
        hand = max(h for h, start in enumerate(starts) if start <= index)
        in_bidding = index - starts[hand] < _bids_in(rules, history[starts[hand] :])
        if not in_bidding or seats[index] == seat:
            continue
        sealed = rules.rules.bids == "sealed" and hand == number and len(history) - starts[hand] < rules.players
        if act & MAY_CHANGE or sealed:
            acts[index] = random.randint(0, rules.sizes[hand]) | (act & MAY_CHANGE)
    return acts


def bidders(rules, acts, starts):
    """The seat of every act that is a bid; -1 for a card."""
    seats = []
    for hand, start in enumerate(starts):
        end = starts[hand + 1] if hand + 1 < len(starts) else len(acts)
        bids, seat = _bids_in(rules, acts[start:end]), (FIRST_DEALER + hand + 1) % rules.players
        for act in acts[start : start + bids]:
            seats.append(seat)
            seat = seat if act & MAY_CHANGE else (seat + 1) % rules.players
        seats += [-1] * (end - start - bids)
    return seats


@pytest.mark.parametrize("name", RULES)
def test_what_a_seat_cannot_see_changes_nothing_that_it_is_sent(name, monkeypatch):
    """Two deals that differ in unseen cards give a seat the same bytes for the same public history."""
    random, compared = Random(name), 0
    for _ in range(TRIALS):
        players = random.choice([3, 4, 5])
        rules = resolve_rules(RULES[name]).for_players(players)
        orders = [random.sample(range(52), 52) for _ in rules.sizes]
        played = drive(rules, deal(rules, orders), at_random(random))
        starts = _starts(rules, played.acts)
        history = played.acts[: random.randint(0, len(played.acts) - 1)]
        seat = random.randrange(players)
        sent = lines_to(seat, rules, deal(rules, orders), history, monkeypatch)
        assert sent
        assert sent[0].startswith('{"type":"game_start"')
        seats = bidders(rules, played.acts, starts)
        for _ in range(5):
            others = changed(rules, orders, seat, starts, history, random)
            acts = with_other_secrets(rules, history, starts, seats, seat, random)
            again = lines_to(seat, rules, deal(rules, others), acts, monkeypatch)
            if again is not None:
                assert again == sent
                compared += others != orders
    assert compared > TRIALS


def _starts(rules, acts):
    """Where each hand's acts begin."""
    starts, position = [], 0
    for size in rules.sizes:
        starts.append(position)
        position += _bids_in(rules, acts[position:]) + size * rules.players
    return starts


def test_the_comparison_sees_a_card_that_changes(monkeypatch):
    """With another own card, or another turned one, a seat is sent other bytes: the test above can fail."""
    rules = resolve_rules({"preset": "classic", "sizes": [3]}).for_players(3)
    order = list(range(52))
    sent = lines_to(2, rules, deal(rules, [order]), bytearray(), monkeypatch)
    for place in (0, 9):  # seat 2 is on the dealer's left; nine cards are dealt
        other = order.copy()
        other[place], other[51] = other[51], other[place]
        assert lines_to(2, rules, deal(rules, [other]), bytearray(), monkeypatch) != sent
