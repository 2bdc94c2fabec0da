"""A bot's fault as a person reads it."""

from collections.abc import Iterator

from rich.text import Text

from runner.table.results import FaultRecord
from runner.text import escape, escape_lines

STDERR_LINES = 12  # of the end of what a bot wrote there are shown
_LINE_CHARACTERS = 200


def fault_lines(fault: FaultRecord, indent: str = "  ") -> Iterator[Text]:
    """Yield what the fault was, then the offending line and the end of the bot's standard error, if there are any."""
    yield Text(f"{indent}{fault.kind}: {escape(fault.detail)}", style="red")
    if fault.raw:
        yield Text(f"{indent}it wrote: {escape(fault.raw, _LINE_CHARACTERS)}")
    lines = [line for line in escape_lines(fault.stderr) if line]
    if lines:
        cut = len(lines) - STDERR_LINES
        yield Text(f"{indent}its standard error ends:" if cut > 0 else f"{indent}its standard error:")
        for line in lines[-STDERR_LINES:]:
            yield Text(f"{indent}  | {escape(line, _LINE_CHARACTERS)}", style="dim")


def fault_place(fault: FaultRecord) -> str:
    """Return where the fault was: game (rotation), seat, and which request of the game it was."""
    return f"game {fault.rotation}, seat {fault.seat}, {fault.when}"
