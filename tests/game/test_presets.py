"""The presets against the facts of their sources."""

import pytest

from runner.game.presets import PRESETS, find_preset, resolve_rules
from runner.game.rules import Rules, RulesError

CLASSIC_MAX = {3: 10, 4: 10, 5: 10, 6: 8, 7: 7}
ASCENDING_MAX = {3: 15, 4: 13, 5: 10, 6: 8, 7: 7}
WHOLE_PACK = {3: 17, 4: 13, 5: 10, 6: 8, 7: 7}


def down_up(most):
    return [*range(most, 0, -1), *range(2, most + 1)]


def up_down(most):
    return [*range(1, most + 1), *range(most - 1, 0, -1)]


def up(most):
    return [*range(1, most + 1)]


SEQUENCES = {
    "classic": (down_up, CLASSIC_MAX),
    "ascending": (up, ASCENDING_MAX),
    "la-podrida": (up, ASCENDING_MAX),
    "devils-bridge": (up_down, CLASSIC_MAX),
    "nomination-whist": (down_up, CLASSIC_MAX),
    "big-ships": (down_up, CLASSIC_MAX),
    "kachuful": (up, WHOLE_PACK),
    "bust": (down_up, CLASSIC_MAX),
    "up-and-down-the-river": (down_up, CLASSIC_MAX),
    "boerenbridge": (down_up, CLASSIC_MAX),
    "rikiki": (up_down, CLASSIC_MAX),
    "german-bridge": (up, WHOLE_PACK),
}


@pytest.mark.parametrize("players", range(3, 8))
@pytest.mark.parametrize("name", PRESETS)
def test_the_sequence_of_every_preset(name, players):
    """Every preset has its sequence for every number of players."""
    form, most = SEQUENCES[name]
    assert list(PRESETS[name].rules.for_players(players).sizes) == form(most[players])


@pytest.mark.parametrize(("players", "hands"), [(3, 19), (4, 19), (5, 19), (6, 15), (7, 13)])
def test_the_number_of_hands_of_classic(players, hands):
    """19, 19, 19, 15 and 13 hands."""
    assert len(Rules().for_players(players).sizes) == hands


@pytest.mark.parametrize(("players", "left"), [(3, 7), (4, 0), (5, 2), (6, 4), (7, 3)])
def test_cards_left_in_the_last_hand_of_ascending(players, left):
    """In the last hand nothing is turned, though 7, 0, 2, 4 or 3 cards may be left."""
    plan = PRESETS["ascending"].rules.for_players(players)
    assert 52 - plan.sizes[-1] * players == left
    assert plan.trumps == ("turned",) * (len(plan.sizes) - 1) + (None,)


# What differs from classic without change of bid, the sequence apart.
DIFFERENCES = {
    "classic": {"change_bid": True},
    "ascending": {"hook": False, "no_trump": "last"},
    "la-podrida": {"hook": False, "no_trump": "last", "must_trump": True},
    "devils-bridge": {"blind": "last"},
    "nomination-whist": {"trump": "list", "trumps": ["S", "H", "C", "D", "NT"], "miss": "tricks"},
    "big-ships": {"trump": "list", "trumps": ["H", "C", "D", "S", "NT"], "hook": False, "miss": "tricks"},
    "kachuful": {"trump": "list", "trumps": ["S", "D", "C", "H"]},
    "bust": {},
    "up-and-down-the-river": {},
    "boerenbridge": {"trump": "list", "trumps": ["S"]},
    "rikiki": {"blind": "ones", "miss": "difference"},
    "german-bridge": {"no_trump": "largest"},
}


@pytest.mark.parametrize("name", PRESETS)
def test_the_rest_of_every_preset(name):
    """What a source does not state is as in classic, but change of bid off."""
    plain = {
        "first_dealer": "draw",
        "bids": "in_turn",
        "hook": True,
        "change_bid": False,
        "trump": "turned",
        "trumps": None,
        "no_trump": "none",
        "must_trump": False,
        "blind": "never",
        "miss": "zero",
        "zero": "ten",
    }
    mapping = PRESETS[name].rules.to_mapping()
    assert {key: mapping[key] for key in plain} == plain | DIFFERENCES[name]


def test_every_preset_says_what_it_is():
    """A line of description, a source, and keys that are stated; classic's source states everything."""
    keys = set(Rules().to_mapping())
    for name, preset in PRESETS.items():
        assert name == preset.name
        assert preset.description.endswith(".")
        assert "\n" not in preset.description
        assert preset.source
        assert preset.stated <= keys
    assert PRESETS["classic"].stated == keys
    assert "hook" not in PRESETS["german-bridge"].stated


@pytest.mark.parametrize(
    ("alias", "name"), [("oh-pshaw", "ascending"), ("contract-whist", "nomination-whist"), ("judgement", "kachuful")]
)
def test_aliases(alias, name):
    """A preset answers to its other names."""
    assert find_preset(alias) is PRESETS[name]
    assert alias in PRESETS[name].aliases
    assert resolve_rules(alias) == resolve_rules({"preset": alias}) == PRESETS[name].rules


def test_no_name_is_given_twice():
    """Names and aliases are all different."""
    names = [name for preset in PRESETS.values() for name in (preset.name, *preset.aliases)]
    assert len(set(names)) == len(names)


def test_an_empty_mapping_is_classic():
    """Without a preset overrides apply to classic."""
    assert resolve_rules({}) == resolve_rules("classic") == Rules()
    assert resolve_rules({"max": 7}).for_players(4).sizes == tuple(down_up(7))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("clasic", "Did you mean `classic`?"),
        ("xyzzy", "The presets are classic, ascending"),
        (7, "not 7"),
        (None, "null"),
    ],
)
def test_unknown_presets(name, words):
    """An unknown name is met with the nearest, or with the whole list."""
    with pytest.raises(RulesError, match=r"preset|rules") as caught:
        find_preset(name)
    ((key, sentence),) = caught.value.problems
    assert key == "preset"
    assert words in sentence


def test_an_unknown_preset_hides_no_other_problem():
    """Wrong values beside it are named too; contradictions with it cannot be known."""
    with pytest.raises(RulesError) as caught:
        resolve_rules({"preset": "clasic", "max": 99, "bids": "sealed"})
    assert [key for key, _ in caught.value.problems] == ["preset", "max"]
