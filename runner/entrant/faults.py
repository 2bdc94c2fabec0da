"""What a bot did wrong, as data."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["build", "start", "died", "timeout", "garbage", "illegal", "unasked", "too-long", "memory"]

# Enough of an offending line to recognise it; a store of faults must not become a store of floods.
MAX_RAW_BYTES = 200


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its kind, one line on what happened, and the bytes that gave offence (at most `MAX_RAW_BYTES`)."""

    kind: Kind
    detail: str
    raw: bytes = b""

    def __post_init__(self) -> None:
        if len(self.raw) > MAX_RAW_BYTES:
            object.__setattr__(self, "raw", bytes(self.raw[:MAX_RAW_BYTES]))

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"
