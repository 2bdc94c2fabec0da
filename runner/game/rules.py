"""The rules a game is played by: every option a table may choose, and what they mean for a number of players.

The options and their names are those of the rule articles; `runner.game.presets` has the usual combinations.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from runner.errors import OhHellError
from runner.game import checks, plan
from runner.game.checks import Problem

TURNED: Final = plan.TURNED
"""Stands in `GameRules.trumps` for a hand whose trump is the suit of the card turned up."""


class RulesError(OhHellError):
    """Rules that are misspelt or cannot be played; `problems` has a (key, sentence) for each, all at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(" ".join(sentence for _, sentence in self.problems))

    def __reduce__(self) -> tuple[type["RulesError"], tuple[tuple[Problem, ...]]]:
        return RulesError, (self.problems,)


@dataclass(frozen=True, slots=True)
class Rules:
    """Every option of the rules, for any number of players; the defaults are the preset "classic".

    `max` is a number of cards, or pairs (players, cards). `sizes`, if not None, stands in the place of `sequence`,
    `max`, `turn_twice` and `ones_per_player`. `hook` may be the hand size from which it applies.
    """

    sequence: Literal["down_up", "up", "down", "up_down"] = "down_up"
    max: int | tuple[tuple[int, int], ...] = ((3, 10), (4, 10), (5, 10), (6, 8), (7, 7))
    turn_twice: bool = False
    ones_per_player: bool = False
    sizes: tuple[int, ...] | None = None
    first_dealer: Literal["draw"] | int = "draw"
    bids: Literal["in_turn", "sealed"] = "in_turn"
    hook: bool | int = True
    change_bid: bool = True
    trump: Literal["turned", "list"] = "turned"
    trumps: tuple[str, ...] | None = None
    no_trump: Literal["none", "last", "largest"] = "none"
    must_trump: bool = False
    blind: Literal["never", "last", "ones"] = "never"
    miss: Literal["zero", "tricks", "difference"] = "zero"
    zero: Literal["ten", "size"] = "ten"

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object], base: "Rules | None" = None) -> "Rules":
        """Return `base` (default: classic) with the values that `mapping` gives, as read from YAML or JSON.

        A `sizes` in `mapping` takes the place of what `base` says of the sequence, `trump: turned` that of its list.
        Raises `RulesError` with every misspelt key, wrong value and contradiction; the keys are those of `mapping`.
        """
        values, problems = checks.read_values(mapping)
        base = cls() if base is None else base
        if values.get("sizes") is not None:
            base = replace(base, **{key: getattr(cls(), key) for key in checks.SEQUENCE_KEYS})
        if values.get("trump") == "turned":
            base = replace(base, trumps=None)
        rules = replace(base, **values)
        wrong = {key for key, _ in problems}
        for keys, sentence in plan.contradictions(rules):
            if wrong.isdisjoint(keys):
                problems.append((next((key for key in keys if key in mapping), keys[0]), sentence))
        if problems:
            raise RulesError(problems)
        return rules

    def to_mapping(self) -> dict[str, object]:
        """Return plain JSON data that `from_mapping` reads back, in the order of the fields.

        With `sizes` the four keys it stands for are left out.
        """
        largest: object = self.max if isinstance(self.max, int) else {str(key): value for key, value in self.max}
        sequence: dict[str, object] = {
            "sequence": self.sequence,
            "max": largest,
            "turn_twice": self.turn_twice,
            "ones_per_player": self.ones_per_player,
        }
        return {
            **(sequence if self.sizes is None else {"sizes": list(self.sizes)}),
            "first_dealer": self.first_dealer,
            "bids": self.bids,
            "hook": self.hook,
            "change_bid": self.change_bid,
            "trump": self.trump,
            "trumps": None if self.trumps is None else list(self.trumps),
            "no_trump": self.no_trump,
            "must_trump": self.must_trump,
            "blind": self.blind,
            "miss": self.miss,
            "zero": self.zero,
        }

    def for_players(self, players: int) -> "GameRules":
        """Return the plan of a game with `players` at the table.

        Raises `RulesError` with the reason for whatever cannot be played by that many.
        """
        problems = [(keys[0], sentence) for keys, sentence in plan.contradictions(self)]
        if not problems:
            problems = plan.refusals(self, players)
        if problems:
            raise RulesError(problems)
        sizes = plan.hand_sizes(self, players)
        return GameRules(self, players, sizes, plan.hand_trumps(self, players, sizes), plan.blind_hands(self, sizes))


@dataclass(frozen=True, slots=True)
class GameRules:
    """The rules for a number of players, one entry of `sizes`, `trumps` and `blind` a hand.

    `trumps` has a suit, None (no trump, nothing is turned) or `TURNED`.
    """

    rules: Rules
    players: int
    sizes: tuple[int, ...]
    trumps: tuple[str | None, ...]
    blind: tuple[bool, ...]

    def wire(self) -> dict[str, object]:
        """Return the object `rules` of `game_start`; its keys and their order are part of the protocol."""
        rules = self.rules
        return {
            "bids": rules.bids,
            "hook": rules.hook,
            "change_bid": rules.change_bid,
            "trump": rules.trump,
            "no_trump": rules.no_trump,
            "trumps": None if rules.trumps is None else list(rules.trumps),
            "must_trump": rules.must_trump,
            "blind": rules.blind,
            "miss": rules.miss,
            "zero": rules.zero,
        }
