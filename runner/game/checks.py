"""Reads the values of the rules from plain data (YAML, JSON): one sentence for each that is wrong, key by key."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeGuard

from runner.errors import did_you_mean
from runner.game.cards import PACK, SUITS

Problem = tuple[str, str]
"""A key of the rules and the sentence that says what is wrong with its value."""

LEAST_PLAYERS: Final = 3
MOST_PLAYERS: Final = 7
LARGEST_HAND: Final = len(PACK) // LEAST_PLAYERS
MOST_HANDS: Final = 1000  # `sizes` and `trumps` travel in one line of the protocol, which has 65,536 bytes
SEQUENCE_KEYS: Final = ("sequence", "max", "turn_twice", "ones_per_player")
NO_TRUMP: Final = "NT"

_CHOICES: Final = {
    "sequence": ("down_up", "up", "down", "up_down"),
    "bids": ("in_turn", "sealed"),
    "trump": ("turned", "list"),
    "no_trump": ("none", "last", "largest"),
    "blind": ("never", "last", "ones"),
    "miss": ("zero", "tricks", "difference"),
    "zero": ("ten", "size"),
}


class _WrongValueError(Exception):
    """Carries the sentence; never leaves this module."""


def written(value: object) -> str:
    """Return `value` as a person would have written it, cut short."""
    text = json.dumps(value, default=ascii)
    return text if len(text) <= 60 else text[:59] + "…"


def largest_hand(players: int) -> int:
    """Return how many cards each of `players` can be dealt."""
    return len(PACK) // players


def read_values(mapping: Mapping[str, object]) -> tuple[dict[str, Any], list[Problem]]:
    """Return the values of `mapping` that are right, as `Rules` holds them, and what is wrong with the others."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for key, value in mapping.items():
        read = _READERS.get(key)
        if read is None:
            question = did_you_mean(key, _READERS)
            problems.append((str(key), f"There is no rule {written(key)}.{question}"))
            continue
        try:
            values[key] = read(key, value)
        except _WrongValueError as error:
            problems.append((key, str(error)))
    if values.get("sizes") is not None:
        problems += [
            (key, f"{key} and sizes contradict each other: sizes lists every hand; leave one of them out.")
            for key in SEQUENCE_KEYS
            if key in mapping
        ]
    return values, problems


def _whole(value: object) -> TypeGuard[int]:
    """Tell whether `value` is a number; True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def _choice(key: str, value: object) -> object:
    words = _CHOICES[key]
    if value not in words:
        question = did_you_mean(value, words)
        raise _WrongValueError(f"{key} is one of {', '.join(words)}, not {written(value)}.{question}")
    return value


def _flag(key: str, value: object) -> object:
    if not isinstance(value, bool):
        raise _WrongValueError(f"{key} is true or false, not {written(value)}.")
    return value


def _max(key: str, value: object) -> object:
    if not isinstance(value, Mapping):
        return _cards(key, value, LEAST_PLAYERS)
    if not value:
        raise _WrongValueError(f"{key} is an empty map; give the largest hand for each number of players.")
    pairs: dict[int, int] = {}
    for players, cards in value.items():
        number = int(players) if isinstance(players, str) and players in tuple("34567") else players
        if not _whole(number) or not LEAST_PLAYERS <= number <= MOST_PLAYERS:
            raise _WrongValueError(f"{key} maps numbers of players (3 to 7) to cards, but has {written(players)}.")
        if number in pairs:
            raise _WrongValueError(f"{key} has {number} players twice.")
        pairs[number] = _cards(f"{key} for {number} players", cards, number)
    return tuple(sorted(pairs.items()))


def _cards(what: str, value: object, players: int) -> int:
    most = largest_hand(players)
    if not _whole(value) or not 1 <= value <= most:
        raise _WrongValueError(f"{what} is a number of cards from 1 to {most}, not {written(value)}.")
    return value


def _list(key: str, value: object, what: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _WrongValueError(f"{key} is a list of {what}, not {written(value)}.")
    if not value:
        raise _WrongValueError(f"{key} is an empty list; give at least one of {what}.")
    if len(value) > MOST_HANDS:
        raise _WrongValueError(f"{key} has {len(value)} entries; at most {MOST_HANDS} are played.")
    return tuple(value)


def _sizes(key: str, value: object) -> object:
    if value is None:
        return None
    return tuple(_cards(f"Each of {key}", size, LEAST_PLAYERS) for size in _list(key, value, "hand sizes"))


def _trumps(key: str, value: object) -> object:
    if value is None:
        return None
    trumps = _list(key, value, f"{', '.join(SUITS)} and {NO_TRUMP}")
    for trump in trumps:
        if trump not in (*SUITS, NO_TRUMP):
            raise _WrongValueError(f"Each of {key} is one of {', '.join(SUITS)} and {NO_TRUMP}, not {written(trump)}.")
    return trumps


def _first_dealer(key: str, value: object) -> object:
    if value != "draw" and not (_whole(value) and value in range(MOST_PLAYERS)):
        raise _WrongValueError(f"{key} is draw or a seat counted from 0, not {written(value)}.")
    return value


def _hook(key: str, value: object) -> object:
    if isinstance(value, bool):
        return value
    if not isinstance(value, int) or not 1 <= value <= LARGEST_HAND:
        raise _WrongValueError(
            f"{key} is true, false or the hand size from which it applies (1 to {LARGEST_HAND}), not {written(value)}."
        )
    # From hands of one card up is every hand: one way to write one rule.
    return True if value == 1 else value


_READERS: Final[dict[str, Callable[[str, object], object]]] = {
    "sequence": _choice,
    "max": _max,
    "turn_twice": _flag,
    "ones_per_player": _flag,
    "sizes": _sizes,
    "first_dealer": _first_dealer,
    "bids": _choice,
    "hook": _hook,
    "change_bid": _flag,
    "trump": _choice,
    "trumps": _trumps,
    "no_trump": _choice,
    "must_trump": _flag,
    "blind": _choice,
    "miss": _choice,
    "zero": _choice,
}
