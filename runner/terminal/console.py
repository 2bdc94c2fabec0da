"""Consoles for what a person reads: colours on a terminal (NO_COLOR respected), plain text elsewhere."""

import sys
from contextlib import suppress

from rich.console import Console
from rich.text import Text

PIPED_WIDTH = 120  # columns of what is not read on a terminal, so that nothing is cut to fit one


def remark(console: Console, text: str, style: str = "") -> None:
    """Print a sentence: wrapped between words on a terminal, on one line elsewhere. Where nobody listens, go on."""
    with suppress(OSError):
        console.print(Text(text, style=style), soft_wrap=not console.is_terminal)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command what it means that nobody listens; rich would exit, with 1."""
        raise  # noqa: PLE0704 - called while a BrokenPipeError is handled


def out() -> Console:
    """Return the console for results (standard output)."""
    return _Console(highlight=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)


def err() -> Console:
    """Return the console for progress and remarks (standard error)."""
    return _Console(stderr=True, highlight=False, width=None if sys.stderr.isatty() else PIPED_WIDTH)
