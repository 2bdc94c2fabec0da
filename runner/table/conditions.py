"""What is the same for every match of a run: the conditions under which bots play."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from runner.game.rules import GameRules
from runner.protocol.messages import WireClock

Restart = Literal["never", "match", "game"]


@dataclass(frozen=True, slots=True)
class Conditions:
    """Rules, seed and clock of a run. `names` are shown to the bots by entrant id; None hides opponents."""

    rules: GameRules
    seed: bytes
    clock: WireClock
    names: Mapping[str, str] | None = field(default=None)
