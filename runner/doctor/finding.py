"""What an examination comes to."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: what was found, and for a `note` or a `problem` what can be done about it.

    A `problem` keeps tournaments from being run, or their results from being kept.
    """

    group: str
    name: str
    status: Status
    found: str
    advice: str = ""
