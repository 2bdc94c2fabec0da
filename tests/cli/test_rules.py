"""`ohhell rules`: every preset in words, its sizes, and what the source does not say."""

import json
from dataclasses import fields

import pytest
from click.testing import CliRunner

from runner.cli.rules import command
from runner.errors import OhHellError
from runner.game.presets import PRESETS
from runner.game.rules import Rules
from runner.terminal.rules import KEYS, in_words


def shown(*words: str) -> str:
    outcome = CliRunner().invoke(command, list(words), catch_exceptions=False)
    assert outcome.exit_code == 0
    return outcome.output


def test_list_names_every_preset_alias_and_key() -> None:
    """Nothing that can be chosen is left out, and all fits into 80 columns."""
    text = shown()
    for preset in PRESETS.values():
        assert all(name in text for name in (preset.name, *preset.aliases))
    assert {line.split()[0] for line in KEYS.splitlines()} == {field.name for field in fields(Rules)}
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", PRESETS)
def test_every_value_is_spelled_out_and_marked(name: str) -> None:
    """Each key is there with its value; those that the source does not state, and no others, are marked."""
    lines = shown(name).splitlines()
    assert max(map(len, lines)) <= 80
    marked = {line.split(":")[0] for line in lines if line.endswith("[our choice, source silent]")}
    values = PRESETS[name].rules.to_mapping()
    assert marked == set(values) - PRESETS[name].stated
    assert set(values) <= {line.split(":")[0] for line in lines}


def test_alias_and_overrides() -> None:
    """An alias is its preset; what is set here is marked so, and the sizes follow."""
    text = shown("oh-pshaw", "--set", "sizes=[5,4,4,1]", "--set", "hook=3")
    assert text.startswith("ascending\n")
    assert "sizes: [5, 4, 4, 1]  [set here]" in text
    assert "in hands of 3 cards and more" in " ".join(text.split())
    assert "4 players:  4 hands  5 4 4 1" in text


@pytest.mark.parametrize(
    ("override", "sizes"),
    [
        ("max=7", "7 … 1 … 7"),
        ("sizes=[9]", "9"),
        ("sizes=[3,3,3]", "3 3 3"),
        ("sizes=[5,4,3,1,1,2,3,7]", "5 … 3 1 1 … 3 7"),
    ],
)
def test_sizes_are_shortened_without_loss(override: str, sizes: str) -> None:
    """Only steps by one are left out."""
    assert any(line.endswith(f"  {sizes}") and "3 players" in line for line in shown("--set", override).splitlines())


def test_numbers_of_players_that_cannot_play_are_told_why() -> None:
    """Nine cards are too many for six players."""
    text = " ".join(shown("classic", "--set", "max=9").split())
    assert "6 players: 9 cards for each of 6 players are 54" in text


def test_json_has_rules_words_and_sizes() -> None:
    """The machine's form says the same of one preset and of all."""
    one = json.loads(shown("rikiki", "--json"))
    assert one["version"] == 1
    assert one["preset"]["rules"]["miss"] == "difference"
    assert one["preset"]["sizes"]["7"] == [*range(1, 8), *range(6, 0, -1)]
    assert set(one["preset"]["words"]) == set(one["preset"]["rules"])
    every = json.loads(shown("--json"))
    assert [preset["name"] for preset in every["presets"]] == list(PRESETS)


def test_every_value_has_words() -> None:
    """Values that no preset uses are spelled out too."""
    for key, values in {
        "sequence": ["down_up", "up", "down", "up_down"],
        "turn_twice": [True, False],
        "ones_per_player": [True, False],
        "first_dealer": ["draw", 2],
        "bids": ["in_turn", "sealed"],
        "hook": [True, False, 4],
        "no_trump": ["none", "last", "largest"],
        "blind": ["never", "last", "ones"],
        "zero": ["ten", "size"],
    }.items():
        assert all(in_words(key, value).endswith(".") for value in values)


def test_unknown_preset_is_refused() -> None:
    """With the name that was meant."""
    with pytest.raises(OhHellError, match="Did you mean `rikiki`"):
        CliRunner().invoke(command, ["rikki"], catch_exceptions=False)


@pytest.mark.parametrize(
    "override",
    [
        "max=" + "9" * 5_000,
        "max=2026-13-45",
        "trumps=" + "[" * 3_000,
        'trumps="\\UFFFFFFFF"',
        "max=*a",
        "max=!!python/object:os.system",
        "max=\udcff",
        "hook=no",
        "max",
        "=3",
        "max={3:7}",
        "preset=classic",
    ],
)
def test_an_override_is_read_as_strictly_as_a_file(override: str) -> None:
    """Whatever stands behind --set, it is taken or refused by the rules of a tournament file."""
    outcome = CliRunner().invoke(command, ["classic", "--set", override])
    assert isinstance(outcome.exception, OhHellError) or "Invalid value for --set: " in outcome.output
    assert isinstance(outcome.exception, OhHellError | SystemExit)
