"""The rules by their usual names, each with the source it was taken from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from runner.errors import did_you_mean
from runner.game.checks import read_values, written
from runner.game.rules import Rules, RulesError

ARTICLE_A: Final = "rule article A (Portuguese)"
ARTICLES_BC: Final = "rule articles B and C (a Portuguese and a Spanish version of one article)"

_CLASSIC_MAX: Final = {3: 10, 4: 10, 5: 10, 6: 8, 7: 7}
_ASCENDING_MAX: Final = {3: 15, 4: 13, 5: 10, 6: 8, 7: 7}
_WHOLE_PACK_MAX: Final = {3: 17, 4: 13, 5: 10, 6: 8, 7: 7}


@dataclass(frozen=True, slots=True)
class Preset:
    """Rules with a name. `stated` has the keys whose values the source gives; the others are our choice.

    What a source does not state is as in classic, but change of bid off.
    """

    name: str
    aliases: tuple[str, ...]
    description: str
    source: str
    rules: Rules
    stated: frozenset[str]


def _preset(name: str, description: str, source: str, facts: Mapping[str, object], *aliases: str) -> Preset:
    rules = Rules.from_mapping(facts, base=Rules(change_bid=False))
    return Preset(name, aliases, description, source, rules, frozenset(facts))


_TURNED: Final = {"trump": "turned", "trumps": None}
_CLASSIC: Final = {
    "sequence": "down_up",
    "max": _CLASSIC_MAX,
    "turn_twice": False,
    "ones_per_player": False,
    "first_dealer": "draw",
    "bids": "in_turn",
    "hook": True,
    "change_bid": True,
    **_TURNED,
    "no_trump": "none",
    "must_trump": False,
    "blind": "never",
    "miss": "zero",
    "zero": "ten",
}
_ASCENDING: Final = {
    "sequence": "up",
    "max": _ASCENDING_MAX,
    "bids": "in_turn",
    "hook": False,
    **_TURNED,
    "no_trump": "last",
    "must_trump": False,
    "miss": "zero",
    "zero": "ten",
}

_ALL: Final = (
    _preset("classic", "Down to one card and up again, with the hook; a bid may be changed.", ARTICLE_A, _CLASSIC),
    _preset(
        "ascending",
        "From one card up, no hook; the last hand has no trump.",
        ARTICLES_BC,
        _ASCENDING,
        "oh-pshaw",
    ),
    _preset(
        "la-podrida",
        "Ascending, and a player void in the suit led must trump.",
        ARTICLES_BC,
        _ASCENDING | {"must_trump": True},
    ),
    _preset(
        "devils-bridge",
        "Up and down again; the last card is held on the forehead, for all others to see.",
        f"{ARTICLE_A}; ultrafoodmess.com",
        {"sequence": "up_down", "max": _CLASSIC_MAX, **_TURNED, "blind": "last"},
    ),
    _preset(
        "nomination-whist",
        "Down and up, trumps spades, hearts, clubs, diamonds and none in turn; a miss scores its tricks.",
        "nommy.co.uk",
        {
            "sequence": "down_up",
            "hook": True,
            "trump": "list",
            "trumps": ["S", "H", "C", "D", "NT"],
            "miss": "tricks",
        },
        "contract-whist",
    ),
    _preset(
        "big-ships",
        "The Royal Navy's form: down and up, trumps hearts first, no hook; a miss scores its tricks.",
        "the Big Ships page of navysong",
        {
            "sequence": "down_up",
            "hook": False,
            "trump": "list",
            "trumps": ["H", "C", "D", "S", "NT"],
            "miss": "tricks",
        },
    ),
    _preset(
        "kachuful",
        "From one card up to as many as the pack allows, trumps spades, diamonds, clubs, hearts in turn.",
        "en.wikipedia.org, Kachufool",
        {
            "sequence": "up",
            "max": _WHOLE_PACK_MAX,
            "hook": True,
            "trump": "list",
            "trumps": ["S", "D", "C", "H"],
            "miss": "zero",
        },
        "judgement",
    ),
    _preset(
        "bust",
        "Australia and New Zealand: down and up with the hook.",
        "howtoplay.nz",
        {"sequence": "down_up", "hook": True, **_TURNED, "miss": "zero"},
    ),
    _preset(
        "up-and-down-the-river",
        "Down to one card and up again, with the hook; bids are final.",
        "youthmatters.org.au; riv.powellquiring.com",
        {"sequence": "down_up", "max": _CLASSIC_MAX, "hook": True, **_TURNED, "miss": "zero"},
    ),
    _preset(
        "boerenbridge",
        "The world championship's form, for five: from ten cards down and up, spades always trump.",
        "boerenbridge.com",
        {"sequence": "down_up", "max": _CLASSIC_MAX, "trump": "list", "trumps": ["S"]},
    ),
    _preset(
        "rikiki",
        "Up and down again; every one-card hand is blind, and a miss costs the difference.",
        "sherpal/oh-hell-card-game",
        {"sequence": "up_down", "hook": True, **_TURNED, "blind": "ones", "miss": "difference"},
    ),
    _preset(
        "german-bridge",
        "Hong Kong, for four: from one card up to thirteen, the last thirteen without trump.",
        "discuss.com.hk",
        {"sequence": "up", "max": _WHOLE_PACK_MAX, **_TURNED, "no_trump": "largest"},
    ),
)

PRESETS: Final[dict[str, Preset]] = {preset.name: preset for preset in _ALL}
"""Every preset under its name, in the order they are listed to a person."""

_BY_ANY_NAME: Final = {name: preset for preset in _ALL for name in (preset.name, *preset.aliases)}


def find_preset(name: object) -> Preset:
    """Return the preset called `name`, which may be an alias. Raises `RulesError`."""
    if not isinstance(name, str):
        raise RulesError([("preset", f"preset is the name of a set of rules, not {written(name)}.")])
    preset = _BY_ANY_NAME.get(name)
    if preset is None:
        question = did_you_mean(name, _BY_ANY_NAME) or f" The presets are {', '.join(PRESETS)}."
        raise RulesError([("preset", f"There are no rules called {written(name)}.{question}")])
    return preset


def resolve_rules(spec: str | Mapping[str, object]) -> Rules:
    """Return the rules that a preset's name, or a mapping of `preset` (default classic) and overrides, stands for.

    Raises `RulesError` with every problem; their keys are those of the mapping.
    """
    if isinstance(spec, str):
        return find_preset(spec).rules
    overrides = {key: value for key, value in spec.items() if key != "preset"}
    try:
        base = find_preset(spec.get("preset", "classic")).rules
    except RulesError as error:
        # What contradicts an unknown preset is unknown too: only the form of the other values can be judged.
        raise RulesError([*error.problems, *read_values(overrides)[1]]) from None
    return Rules.from_mapping(overrides, base)
