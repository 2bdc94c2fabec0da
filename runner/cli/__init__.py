"""The `ohhell` command: one small module per command, the only place that prints or exits."""

import importlib
import os
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Any

import click

from runner import __version__
from runner.errors import OhHellError
from runner.tournament.interrupts import SIGNALS

# Each command is in the module of its name; the line is its help in the list of commands, so that asking for help
# loads none of them.
COMMANDS = {
    "run": "Play a tournament file to final standings.",
    "standings": "Show the standings of a run.",
    "match": "Play one match between bots now.",
    "replay": "Show a game of a run, card by card.",
    "rules": "Show the rules, or a preset of them.",
    "doctor": "Tell what this machine offers.",
}

EXIT_INTERRUPTED = 130
EXIT_STOPPED = 3
EXIT_USAGE = 2
WINDOWS = "Windows is not supported natively: use WSL 2 (wsl --install), and run ohhell inside it."


class _InterruptedCommand(OhHellError):
    exit_code = EXIT_INTERRUPTED


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"runner.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            # Click would print to a terminal that may be gone, and that would be the error in place of this one.
            raise _InterruptedCommand("interrupted") from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="First steps: ohhell run tournaments/quickstart.yaml",
)
@click.version_option(__version__, prog_name="ohhell")
def group() -> None:
    """Run tournaments of programs that play Oh Hell.

    Exit codes: 0 done, 1 a negative verdict, 2 wrong usage or a refused file, 3 stopped early with results kept,
    130 interrupted.
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit; whatever goes wrong is told in a sentence, never in a traceback."""
    if sys.platform == "win32":
        _fail(WINDOWS, EXIT_USAGE)
    for number in SIGNALS:
        signal.signal(number, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # where a character cannot be shown, its escape can
    try:
        sys.exit(group.main(args, prog_name="ohhell", standalone_mode=False))
    except OhHellError as error:
        _fail(str(error), error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        _fail("interrupted", EXIT_INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone, as `head` does; the interpreter must not complain of it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_STOPPED)
    except Exception as error:
        if os.environ.get("OHHELL_DEBUG"):
            raise
        where = _place(error)
        _fail(
            f"internal error: {type(error).__name__}: {error} ({where}). This is a bug of the runner; what was stored "
            "is kept. Please report it, with the output of OHHELL_DEBUG=1.",
            EXIT_STOPPED,
        )


def _interrupt(number: int, frame: Any) -> None:
    _disregard_interrupts()  # what is left to do is clearing up
    raise KeyboardInterrupt


def _disregard_interrupts() -> None:
    for each in SIGNALS:
        signal.signal(each, _disregard)


def _disregard(number: int, frame: Any) -> None:
    """Do nothing. With SIG_IGN instead Python would complain of a signal that is pending when that is set."""


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}" if trace is not None else "nowhere"


def _fail(message: str, code: int) -> None:
    _disregard_interrupts()  # another one would break off the interpreter's end with a traceback
    with suppress(OSError):  # the terminal may be gone
        click.echo(f"ohhell: {message}", err=True)
    sys.exit(code)
