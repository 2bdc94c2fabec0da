"""Drives games without players: a function answers every request."""

from dataclasses import dataclass, field

from runner.game.deal import deal_game, stand_in_stream
from runner.game.presets import resolve_rules
from runner.protocol.lines import Reply
from runner.referee.game import MAY_CHANGE, play_game

SEED = bytes(range(32))


@dataclass
class Played:
    """A game as it went: acts, requests in order, facts in order, how it ended."""

    acts: bytearray
    requests: list = field(default_factory=list)
    facts: list = field(default_factory=list)
    ended: object = None

    def asked(self, kind=None):
        return [request for request in self.requests if kind in (None, request.kind)]


def stand_in(seat):
    return stand_in_stream(SEED, "0", 0, seat)


def first_legal(request):
    return Reply(request.legal[0])


def game_of(players=4, seed=SEED, **options):
    """Rules and a deal."""
    rules = resolve_rules(options).for_players(players)
    return rules, deal_game(rules, seed, "0")


def drive(rules, deal, answer=first_legal, absent=(), every_act=True):
    """Play a game to its end; `answer` gives the reply or fault to each request."""
    played = Played(bytearray())
    game = play_game(
        rules,
        deal,
        stand_in,
        acts=played.acts,
        absent=frozenset(absent),
        observe=played.facts.append,
        every_act=every_act,
    )
    try:
        request = next(game)
        while True:
            played.requests.append(request)
            request = game.send(answer(request))
    except StopIteration as stop:
        played.ended = stop.value
    return played


def in_order(*answers):
    """Return what gives `answers` in order, then the first legal ones."""
    left = list(answers)
    return lambda request: left.pop(0) if left else first_legal(request)


def at_random(random):
    """Return what answers at random, bids not always finally."""
    return lambda request: Reply(random.choice(request.legal), final=random.random() < 0.6)


def final_acts(acts):
    """The acts without the bids that were changed later."""
    return [act for act in acts if not act & MAY_CHANGE]
