"""What is the same for every match of a run: the conditions under which bots play."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from runner.game.rules import GameRules
from runner.protocol.messages import GameStart, WireClock, WireRules

# The time bots have where nobody says otherwise: what a tournament file has without `clocks`.
DEFAULT_CLOCK = WireClock(start_ms=5000, move_ms=1000, move_wall_ms=5500, bank_ms=None)


@dataclass(frozen=True, slots=True)
class Conditions:
    """Rules, seed and clock of a run. `names` are what the bots are shown, by entrant id; None hides opponents."""

    rules: GameRules
    seed: bytes
    clock: WireClock
    names: Mapping[str, str] | None = None

    def game_start(self, seat: int, seed: int, names: list[str] | None) -> GameStart:
        """Return the message for the bot at `seat`, its `game` still 0; `names` by seat, `seed` the bot's own."""
        rules = self.rules
        wire = msgspec.convert(rules.wire(), WireRules)
        return GameStart(0, seat, rules.players, rules.sizes, wire, seed, self.clock, names)
