"""Rules: what is read and what is refused, the plan of the hands, and the object on the wire."""

import json
import pickle

import pytest
from hypothesis import given

from runner.game.presets import resolve_rules
from runner.game.rules import Rules, RulesError

from .playing import any_rules, bounded


def refusal(mapping, players=None):
    """The problems with `mapping`, or with playing it by `players`."""
    if players is None:
        with pytest.raises(RulesError) as caught:
            resolve_rules(mapping)
    else:
        rules = resolve_rules(mapping)
        with pytest.raises(RulesError) as caught:
            rules.for_players(players)
    return caught.value.problems


# Sequence


@pytest.mark.parametrize(
    ("mapping", "players", "sizes"),
    [
        ({"max": 4}, 3, [4, 3, 2, 1, 2, 3, 4]),
        ({"max": 4, "turn_twice": True}, 3, [4, 3, 2, 1, 1, 2, 3, 4]),
        ({"max": 3, "ones_per_player": True}, 4, [3, 2, 1, 1, 1, 1, 2, 3]),
        ({"max": 4, "sequence": "up"}, 3, [1, 2, 3, 4]),
        ({"max": 2, "sequence": "up", "ones_per_player": True}, 3, [1, 1, 1, 2]),
        ({"max": 4, "sequence": "down"}, 3, [4, 3, 2, 1]),
        ({"max": 4, "sequence": "up_down"}, 3, [1, 2, 3, 4, 3, 2, 1]),
        ({"max": 4, "sequence": "up_down", "turn_twice": True}, 3, [1, 2, 3, 4, 4, 3, 2, 1]),
        ({"max": 2, "sequence": "up_down", "turn_twice": True, "ones_per_player": True}, 3, [1, 1, 1, 2, 2, 1, 1, 1]),
        ({"max": 1}, 3, [1]),
        ({"max": 1, "sequence": "up_down"}, 3, [1]),
        ({"max": 1, "turn_twice": True}, 3, [1, 1]),
        ({"max": {"3": 2, 4: 3}, "sequence": "up"}, 4, [1, 2, 3]),
        ({"max": 7}, 7, [*range(7, 0, -1), *range(2, 8)]),
        ({"max": 13}, 4, [*range(13, 0, -1), *range(2, 14)]),
        ({"max": 17}, 3, [*range(17, 0, -1), *range(2, 18)]),
        ({"sizes": [3, 3, 17, 1]}, 3, [3, 3, 17, 1]),
        ({"preset": "devils-bridge", "sizes": [2, 1]}, 5, [2, 1]),
    ],
)
def test_the_sequence_of_hands(mapping, players, sizes):
    """Every form of the sequence, with the turning point twice and the one-card hand once per player."""
    assert resolve_rules(mapping).for_players(players).sizes == tuple(sizes)


@pytest.mark.parametrize(("players", "turned", "whole"), [(3, 17, 17), (4, 12, 13), (5, 10, 10), (6, 8, 8), (7, 7, 7)])
def test_the_largest_hands(players, turned, whole):
    """Largest hand with a card left to turn up, and without one; one card more is refused with the sum."""
    plan = resolve_rules({"sizes": list(range(1, whole + 1))}).for_players(players)
    assert [size for size, trump in zip(plan.sizes, plan.trumps, strict=True) if trump == "turned"][-1] == turned
    assert plan.trumps.count(None) == whole - turned
    ((key, sentence),) = refusal({"sizes": [whole + 1]}, players) if whole < 17 else refusal({"sizes": [18]})
    assert key == "sizes"
    assert str(whole) in sentence


# Trump


@pytest.mark.parametrize(
    ("mapping", "trumps"),
    [
        ({"sizes": [1, 2, 3]}, ["turned", "turned", "turned"]),
        ({"sizes": [12, 13, 1]}, ["turned", None, "turned"]),
        ({"sizes": [3, 2, 3], "no_trump": "last"}, ["turned", "turned", None]),
        ({"sizes": [3, 2, 3], "no_trump": "largest"}, [None, "turned", None]),
        ({"sizes": [1] * 6, "trump": "list", "trumps": ["S", "H", "NT", "D"]}, ["S", "H", None, "D", "S", "H"]),
        ({"sizes": [13, 1], "trump": "list", "trumps": ["C"]}, ["C", "C"]),
        ({"sizes": [1] * 3, "trump": "list", "trumps": ["C", "D"], "no_trump": "last"}, ["C", "D", None]),
        ({"sizes": [1, 2, 1], "trump": "list", "trumps": ["C", "D", "H"], "no_trump": "largest"}, ["C", None, "H"]),
        ({"preset": "nomination-whist", "trump": "turned", "sizes": [1]}, ["turned"]),
        ({"preset": "nomination-whist", "trumps": ["D"], "sizes": [1]}, ["D"]),
    ],
)
def test_the_trump_of_every_hand(mapping, trumps):
    """Turned, no trump in the last or largest hands, and a list; a hand without trump keeps its place in the list."""
    assert resolve_rules(mapping).for_players(4).trumps == tuple(trumps)


# Blind hands


@pytest.mark.parametrize(
    ("mapping", "blind"),
    [
        ({"sizes": [1, 2, 1]}, [False, False, False]),
        ({"sizes": [1, 2, 1], "blind": "last"}, [False, False, True]),
        ({"sizes": [1, 2, 1], "blind": "ones"}, [True, False, True]),
        ({"sequence": "down", "max": 2, "blind": "last"}, [False, True]),
        ({"max": 2, "blind": "ones"}, [False, True, False]),
    ],
)
def test_the_blind_hands(mapping, blind):
    """The last hand if it has one card, or every hand of one card."""
    assert resolve_rules(mapping).for_players(4).blind == tuple(blind)


# Refusals: what cannot be played


@pytest.mark.parametrize(
    ("mapping", "key", "words"),
    [
        ({"bids": "sealed", "change_bid": False}, "bids", "last bidder"),
        ({"bids": "sealed", "hook": True, "change_bid": False}, "hook", "last bidder"),
        ({"bids": "sealed", "hook": 3, "change_bid": False}, "hook", "last bidder"),
        ({"bids": "sealed", "hook": False}, "bids", "change_bid: false"),
        ({"bids": "sealed", "hook": False, "change_bid": True}, "change_bid", "change_bid: false"),
        ({"trump": "list"}, "trump", "needs trumps"),
        ({"trump": "list", "trumps": None}, "trump", "needs trumps"),
        ({"trumps": ["S"]}, "trumps", "trump: list"),
        ({"trump": "turned", "trumps": ["S"]}, "trumps", "trump: list"),
        ({"preset": "kachuful", "trump": "list", "trumps": []}, "trumps", "empty list"),
        ({"sequence": "up", "turn_twice": True}, "turn_twice", "turning point"),
        ({"preset": "ascending", "turn_twice": True}, "turn_twice", "turning point"),
        ({"sequence": "down", "turn_twice": True}, "turn_twice", "turning point"),
        ({"turn_twice": True, "ones_per_player": True}, "turn_twice", "ones_per_player"),
        ({"sizes": [1], "sequence": "up"}, "sequence", "sizes"),
        ({"sizes": [1], "max": 3}, "max", "sizes"),
        ({"sizes": [1], "turn_twice": False}, "turn_twice", "sizes"),
        ({"sizes": [1], "ones_per_player": True}, "ones_per_player", "sizes"),
        ({"sizes": []}, "sizes", "empty list"),
        ({"sizes": [3, 0]}, "sizes", "from 1 to 17, not 0"),
        ({"sizes": [18]}, "sizes", "from 1 to 17, not 18"),
        ({"max": 0}, "max", "from 1 to 17, not 0"),
        ({"max": 18}, "max", "from 1 to 17"),
        ({"max": {4: 14}}, "max", "for 4 players is a number of cards from 1 to 13, not 14"),
    ],
)
def test_contradictions_are_refused_when_read(mapping, key, words):
    """What no number of players can play is refused with its reason, under a key that the mapping has."""
    ((found, sentence),) = refusal(mapping)
    assert found == key
    assert words in sentence


@pytest.mark.parametrize(
    ("mapping", "players", "key", "words"),
    [
        ({}, 2, "players", "3 to 7"),
        ({}, 8, "players", "3 to 7"),
        ({"max": 17}, 4, "max", "17 cards for each of 4 players are 68, and the pack has 52"),
        ({"sizes": [1, 8]}, 7, "sizes", "8 cards for each of 7 players are 56, and the pack has 52"),
        ({"max": {3: 17, 5: 10}}, 4, "max", "4 players"),
        ({"blind": "last"}, 4, "blind", "the last hand has 10"),
        ({"blind": "last", "sizes": [1, 2]}, 4, "blind", "the last hand has 2"),
        ({"blind": "ones", "sizes": [3, 2]}, 4, "blind", "no hand has one card"),
        ({"first_dealer": 4}, 4, "first_dealer", "seats 0 to 3"),
        ({"hook": 9}, 7, "hook", "largest hand has 7"),
        ({"must_trump": True, "trump": "list", "trumps": ["NT"]}, 4, "must_trump", "without trump"),
        ({"must_trump": True, "sizes": [13]}, 4, "must_trump", "without trump"),
    ],
)
def test_what_a_table_cannot_play_is_refused(mapping, players, key, words):
    """What these players cannot play, or what would never come in their game, is refused with its reason."""
    ((found, sentence),) = refusal(mapping, players)
    assert found == key
    assert words in sentence
    assert sentence.endswith(".")


@pytest.mark.parametrize(
    ("rules", "key"),
    [
        (Rules(bids="sealed", change_bid=False), "hook"),
        (Rules(trump="list"), "trump"),
        (Rules(trump="list", trumps=()), "trump"),
        (Rules(sizes=()), "sizes"),
        (Rules(sizes=(0,)), "sizes"),
        (Rules(max=0), "max"),
    ],
)
def test_rules_made_in_code_are_refused_too(rules, key):
    """`for_players` does not rely on the rules having been read from a mapping."""
    with pytest.raises(RulesError) as caught:
        rules.for_players(4)
    assert [found for found, _ in caught.value.problems] == [key]


@pytest.mark.parametrize(
    ("mapping", "players"),
    [
        ({"preset": "devils-bridge"}, 7),
        ({"preset": "ascending", "bids": "sealed"}, 4),
        ({"preset": "rikiki", "bids": "sealed", "hook": False}, 3),
        ({"no_trump": "largest", "sizes": [2, 2]}, 4),
        ({"max": 17}, 3),
        ({"hook": 7}, 7),
        ({"sizes": [1, 13, 1], "blind": "last"}, 4),
    ],
)
def test_unusual_rules_that_can_be_played(mapping, players):
    """What can be played is not refused."""
    assert resolve_rules(mapping).for_players(players).players == players


# Reading


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("hok", True, 'There is no rule "hok". Did you mean `hook`?'),
        ("Trumps", ["S"], "Did you mean `trumps`?"),
        ("colour", 1, 'There is no rule "colour".'),
        (7, 1, "There is no rule 7."),
        (
            "sequence",
            "down-up",
            'sequence is one of down_up, up, down, up_down, not "down-up". Did you mean `down_up`?',
        ),
        ("sequence", ["up"], 'not ["up"].'),
        ("sequence", None, "not null."),
        ("bids", True, "not true."),
        ("miss", "zeros", "Did you mean `zero`?"),
        ("zero", 10, "zero is one of ten, size, not 10."),
        ("max", True, "not true."),
        ("max", 7.0, "not 7.0."),
        ("max", "7", 'not "7".'),
        ("max", None, "not null."),
        ("max", {}, "empty map"),
        ("max", {2: 5}, "(3 to 7)"),
        ("max", {8: 5}, "(3 to 7)"),
        ("max", {"four": 5}, '"four"'),
        ("max", {"": 5}, '""'),
        ("max", {True: 5}, "true"),
        ("max", {4: 5, "4": 6}, "4 players twice"),
        ("max", {4: "5"}, "max for 4 players"),
        ("turn_twice", 1, "true or false, not 1."),
        ("ones_per_player", "yes", "true or false"),
        ("change_bid", None, "true or false"),
        ("must_trump", [], "true or false"),
        ("sizes", 3, "sizes is a list"),
        ("sizes", "321", "sizes is a list"),
        ("sizes", [1, True], "not true."),
        ("sizes", [1] * 1001, "at most 1000"),
        ("first_dealer", "Draw", "draw or a seat"),
        ("first_dealer", -1, "draw or a seat"),
        ("first_dealer", 7, "draw or a seat"),
        ("first_dealer", True, "draw or a seat"),
        ("first_dealer", 0.0, "draw or a seat"),
        ("hook", 0, "from which it applies (1 to 17), not 0."),
        ("hook", 18, "not 18."),
        ("hook", 2.0, "not 2.0."),
        ("hook", None, "not null."),
        ("hook", "on", 'not "on".'),
        ("trumps", "SHCD", "trumps is a list"),
        ("trumps", ["S", "s"], 'not "s".'),
        ("trumps", ["S", None], "not null."),
        ("trumps", ["S", ["H"]], 'not ["H"].'),
    ],
)
def test_wrong_values(key, value, words):
    """A misspelt key or a wrong value is named with what is right instead."""
    others = {"trump": "list"} if key == "trumps" else {}
    ((found, sentence),) = refusal(others | {key: value})
    assert found == str(key)
    assert words in sentence


def test_all_problems_come_at_once():
    """Each problem has its key; a contradiction with a value that is wrong itself is not made up."""
    problems = refusal({"hok": 1, "max": 99, "bids": "sealed", "hook": "x", "sizes": [0], "trumps": ["S"]})
    assert [key for key, _ in problems] == ["hok", "max", "hook", "sizes", "bids", "trumps"]


def test_an_error_is_whole_after_its_journey():
    """An error that crosses a process border keeps its problems."""
    with pytest.raises(RulesError) as caught:
        Rules.from_mapping({"max": 99})
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.problems, str(again)) == (caught.value.problems, str(caught.value))


def test_long_values_are_cut():
    """A sentence does not grow with what somebody wrote."""
    ((_, sentence),) = refusal({"bids": "x" * 10_000})
    assert len(sentence) < 150


def test_a_hook_from_one_card_up_is_the_hook():
    """One way to write one rule: the match key and the wire see `true`."""
    assert Rules.from_mapping({"hook": 1}).to_mapping()["hook"] is True


@bounded
@given(any_rules())
def test_rules_survive_json(game):
    """Rules written as JSON are read back the same, hashable, and written the same again."""
    rules, _ = game
    text = json.dumps(rules.to_mapping())
    again = Rules.from_mapping(json.loads(text))
    assert again == rules
    assert hash(again) == hash(rules)
    assert json.dumps(again.to_mapping()) == text


def test_the_wire_of_classic():
    """The object in `game_start`, byte by byte as the protocol shows it."""
    assert json.dumps(Rules().for_players(4).wire(), separators=(",", ":")) == (
        '{"bids":"in_turn","hook":true,"change_bid":true,"trump":"turned","no_trump":"none","trumps":null,'
        '"must_trump":false,"blind":"never","miss":"zero","zero":"ten"}'
    )


def test_the_wire_of_a_list():
    """A list of trumps and a hook from some size up as plain data."""
    rules = resolve_rules({"preset": "nomination-whist", "hook": 3, "zero": "size"})
    assert json.dumps(rules.for_players(4).wire(), separators=(",", ":")) == (
        '{"bids":"in_turn","hook":3,"change_bid":false,"trump":"list","no_trump":"none",'
        '"trumps":["S","H","C","D","NT"],"must_trump":false,"blind":"never","miss":"tricks","zero":"size"}'
    )
