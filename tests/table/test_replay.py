"""A record replayed is the same game, and a record that was changed is found."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.game.deal import deal_game, stand_in_stream
from runner.game.presets import PRESETS, resolve_rules
from runner.game.series import HandResult
from runner.protocol.faults import Fault
from runner.protocol.messages import WireClock
from runner.record.log import GameLog, decode_log
from runner.table.conditions import Conditions
from runner.table.match import NO_DECISION, play_match
from runner.table.replay import ReplayError, replay_game, replay_stored, seats_absent
from runner.table.results import HandSummary, MatchPlan
from tests.game.playing import any_rules
from tests.table.players import AtRandom, FirstLegal

SEED = bytes(range(32))
CLOCK = WireClock(5_000, 1_000, 5_500, None)
bounded = settings(derandomize=True, deadline=None, max_examples=25)


def play(rules, random, fault_rate=0.01, absent=0):
    """A match of players at random who fault at times; of the first `absent` entrants the stand-in plays."""
    names = tuple(f"bot-{number}" for number in range(rules.players))
    plan = MatchPlan(bytes(32), "0", names, frozenset(names[:absent]))

    def find(entrant, rotation):
        return AtRandom(random.random(), fault_rate, wanted=["play"])

    return play_match(plan, Conditions(rules, SEED, CLOCK), dict.fromkeys(names, b""), find)


def replay(rules, result, rotation, log=None, **options):
    """Replay a game of a match; return how it ended, its hands, and what was asked."""
    faulted = {fault.seat: fault.decision for fault in result.faults if fault.rotation == rotation}
    facts, asked = [], []
    ended = replay_game(
        rules,
        deal_game(rules, SEED, "0"),
        log or decode_log(result.games[rotation].log),
        lambda seat: stand_in_stream(SEED, "0", rotation, seat),
        observe=facts.append,
        faulted=options.get("faulted", faulted),
        absent=seats_absent(result, rotation),
        on_decision=lambda number, request, answer: asked.append((number, request)),
    )
    hands = [HandSummary(f.size, f.trump, f.bids, f.won) for f in facts if isinstance(f, HandResult)]
    return ended, tuple(hands), asked


@pytest.mark.parametrize("preset", PRESETS)
def test_replay_of_every_preset_is_the_same_game(preset):
    """Under every preset a match with faults and an absent entrant replays to the totals and hands recorded."""
    random = Random(preset)
    players = 5 if preset == "boerenbridge" else 4
    rules = resolve_rules(preset).for_players(players)
    result = play(rules, random, fault_rate=0.002, absent=random.randrange(2))
    for game in result.games:
        ended, hands, asked = replay(rules, result, game.rotation)
        assert ended.totals == game.totals
        assert hands == game.hands
        assert [number for number, _ in asked] == list(range(game.decisions))


@bounded
@given(any_rules(), st.randoms(use_true_random=False), st.floats(0, 0.05), st.integers(0, 3))
def test_replay_of_any_rules_is_the_same_game(rules_and_players, random, fault_rate, absent):
    """Whatever the rules, the faults and the absent, each game of a match replays to what was recorded."""
    rules = rules_and_players[0].for_players(rules_and_players[1])
    result = play(rules, random, fault_rate, absent)
    for game in result.games:
        ended, hands, asked = replay(rules, result, game.rotation)
        assert ended.totals == game.totals
        assert hands == game.hands
        assert len(asked) == game.decisions


@bounded
@given(any_rules(), st.randoms(use_true_random=False), st.floats(0, 0.05), st.integers(0, 3))
def test_a_stored_match_needs_nothing_but_itself(rules_and_players, random, fault_rate, absent):
    """Who was absent and who faulted follows from the result: each game replays from it alone."""
    rules = rules_and_players[0].for_players(rules_and_players[1])
    result = play(rules, random, fault_rate, absent)
    conditions, deal = Conditions(rules, SEED, CLOCK), deal_game(rules, SEED, "0")
    for game in result.games:
        answers = []
        ended = replay_stored(
            result,
            game.rotation,
            conditions,
            deal,
            observe=lambda fact: None,
            on_decision=lambda number, request, answer, answers=answers: answers.append(answer),
        )
        assert ended.totals == game.totals
        assert [number for number, answer in enumerate(answers) if isinstance(answer, Fault)] == sorted(
            fault.decision for fault in result.faults if fault.rotation == game.rotation
        )


@bounded
@given(any_rules(), st.randoms(use_true_random=False), st.data())
def test_a_changed_act_is_found(rules_and_players, random, data):
    """A record with any act made another does not replay, or not to the hands that were recorded."""
    rules = rules_and_players[0].for_players(rules_and_players[1])
    result = play(rules, random, fault_rate=0.01)
    rotation = data.draw(st.integers(0, rules.players - 1))
    log = decode_log(result.games[rotation].log)
    for _ in range(5):
        acts = bytearray(log.acts)
        place = data.draw(st.integers(0, len(acts) - 1))
        draft = acts[place] & 0x80
        acts[place] ^= data.draw(st.integers(1, 255))
        try:
            _, hands, _ = replay(rules, result, rotation, GameLog(bytes(acts), log.times_us))
        except ReplayError:
            continue
        # Another draft of a bid leads to the same game: drafts are nobody's business but their bot's.
        assert hands != result.games[rotation].hands or (draft and acts[place] & 0x80)


@bounded
@given(any_rules(), st.randoms(use_true_random=False))
def test_acts_too_many_or_too_few_are_found(rules_and_players, random):
    """A record that is longer or shorter than its game, or has a time too many, is refused."""
    rules = rules_and_players[0].for_players(rules_and_players[1])
    result = play(rules, random, fault_rate=0)
    log = decode_log(result.games[0].log)
    for acts, times_us in (
        (log.acts + b"\0", log.times_us),
        (log.acts[:-1], log.times_us),
        (log.acts[:1], log.times_us),
        (b"", log.times_us),
        (log.acts, (*log.times_us, 1)),
        (log.acts, log.times_us[:-1]) if log.times_us else (b"", ()),
    ):
        with pytest.raises(ReplayError, match="record"):
            replay(rules, result, 0, GameLog(acts, times_us))


def one_game(**options):
    """A match of the players that give the first legal answer."""
    rules = resolve_rules({"sizes": [3, 2], "change_bid": False} | options).for_players(3)
    names = ("a", "b", "c")
    plan = MatchPlan(bytes(32), "0", names)
    result = play_match(plan, Conditions(rules, SEED, CLOCK), dict.fromkeys(names, b""), lambda *_: FirstLegal())
    return rules, result, decode_log(result.games[0].log)


@pytest.mark.parametrize(
    ("place", "act", "problem"),
    [
        (0, 4, "act 0 of the record breaks the rules: Seat . cannot bid 4"),
        (0, 127, "act 0 of the record breaks the rules: Seat . cannot bid 127"),
        (3, 52, "act 3 of the record is no card: 52"),
        (3, 255, "act 3 of the record is no card: 255"),
        (3, 51, "act 3 of the record breaks the rules: Seat . cannot play 'AS'"),
        (11, 51, "act 11 of the record is not what the deal and the rules lead to"),
    ],
)
def test_the_first_act_that_does_not_fit_is_named(place, act, problem):
    """An error says which act it is and what is wrong with it."""
    rules, result, log = one_game()
    acts = bytearray(log.acts)
    acts[place] = act
    with pytest.raises(ReplayError, match=problem) as error:
        replay(rules, result, 0, GameLog(bytes(acts), log.times_us))
    assert error.value.exit_code == 1


def test_a_fault_that_did_not_happen_is_found():
    """A fault added where the seat was asked has the stand-in play another game; elsewhere it was nobody's."""
    rules = resolve_rules({"sizes": [6, 6]}).for_players(4)
    result = play(rules, Random(3), fault_rate=0)
    _, _, asked = replay(rules, result, 0)
    for number, request in asked[:8]:
        with pytest.raises(ReplayError):
            replay(rules, result, 0, faulted={request.seat: number})
        with pytest.raises(ReplayError, match="a fault at a decision that was another seat's"):
            replay(rules, result, 0, faulted={(request.seat + 1) % 4: number})


def test_a_fault_left_out_or_moved_is_found():
    """Without its fault a bot would have been asked on, and the record has no such decisions."""
    rules = resolve_rules({"sizes": [6, 6]}).for_players(4)
    result = play(rules, Random(5), fault_rate=0.02)
    fault = result.faults[0]
    for faulted in ({}, {fault.seat: fault.decision + 1}):
        with pytest.raises(ReplayError):
            replay(rules, result, fault.rotation, faulted=faulted)


def test_a_fault_outside_the_decisions_of_a_game_changes_nothing():
    """One that was seen when the game was over, or at the start in a seat that is absent, is no act of the game."""
    rules, result, _ = one_game()
    ended, *_ = replay(rules, result, 0, faulted={0: result.games[0].decisions, 1: NO_DECISION})
    assert ended.totals == result.games[0].totals
