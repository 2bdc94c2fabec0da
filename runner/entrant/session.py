from dataclasses import dataclass

from runner.protocol.faults import Fault


@dataclass(frozen=True, slots=True)
class StartFailure:
    """A player that could not be had: its fault, and the end of its standard error."""

    fault: Fault
    stderr: bytes
