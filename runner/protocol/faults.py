"""What a bot did wrong, as data: a closed list of kinds, so that nothing is ever just "a timeout"."""

from dataclasses import dataclass
from typing import Literal

FaultKind = Literal["build", "start", "died", "timeout", "garbage", "illegal", "unasked", "too-long", "memory"]

MAX_RAW_BYTES = 200  # of an offending line are kept: enough to recognise it, too little to flood a report


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its kind, one sentence of detail for a person, and the bytes that offended (may be cut, may be empty).

    `detail` is plain text made by us; where it quotes the bot, the quotation is already escaped.
    """

    kind: FaultKind
    detail: str
    raw: bytes = b""

    def __post_init__(self) -> None:
        if len(self.raw) > MAX_RAW_BYTES:
            object.__setattr__(self, "raw", bytes(self.raw[:MAX_RAW_BYTES]))

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"
