"""The `ohhell` command: one small module per command, the only place that prints or exits."""

import errno
import importlib
import os
import re
import signal
import sys
import threading
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from runner import __version__
from runner.errors import OhHellError
from runner.text import escape
from runner.tournament.interrupts import asked_for

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

AGAIN_SECONDS = 0.05
EXIT_INTERRUPTED = 130
EXIT_STOPPED = 3
EXIT_USAGE = 2
TERMINAL_LEAST = {"COLUMNS": 20, "LINES": 2}  # sizes of a terminal that are believed
TERMINAL_MOST = 10_000
# What runs out, as opposed to what is in the wrong place.
_LACKS = frozenset({errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
WINDOWS = "Windows is not supported natively: use WSL 2 (wsl --install), and run ohhell inside it."


class _InterruptedCommand(OhHellError):
    exit_code = EXIT_INTERRUPTED


class _UnheardCommand(OhHellError):
    """Whoever read our output has gone, as `head` does: there is nobody to tell."""

    exit_code = EXIT_STOPPED


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
        except BrokenPipeError:
            raise _UnheardCommand from None  # click would exit with 1

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
        _tell(WINDOWS)
        sys.exit(EXIT_USAGE)
    _prepare()
    code = _outcome(args)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            # Of output that nobody takes the interpreter must not complain at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    _disregard_interrupts()
    sys.exit(code)


def _prepare() -> None:
    """Make good what whoever started us has left out or set: closed streams, ignored signals, odd terminal sizes."""
    for name, least in TERMINAL_LEAST.items():
        # Else whoever lays out a text would fail, or print a letter a line: the terminal's own size is asked for then.
        size = os.environ.get(name, "")
        if not (re.fullmatch("[0-9]{1,5}", size) and least <= int(size) <= TERMINAL_MOST):
            os.environ.pop(name, None)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # It gets the number of the closed one, which would else be given to the next file that is opened.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - until the end
    _regard_interrupts()
    sys.unraisablehook = _unraisable
    if hasattr(signal, "SIGCHLD"):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored nobody can tell how a child has ended
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # where a character cannot be shown, its escape can


def _outcome(args: list[str] | None) -> int:
    """Run the command, tell what went wrong and return the exit code."""
    message, code = "", 0
    try:
        code = int(group.main(args, prog_name="ohhell", standalone_mode=False) or 0)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    except OhHellError as error:
        if os.environ.get("OHHELL_DEBUG") and error.__cause__ is not None:
            raise
        message, code = str(error), error.exit_code
    except click.ClickException as error:
        code = error.exit_code
        with suppress(OSError):
            error.show()
    except (KeyboardInterrupt, click.Abort):
        message, code = "interrupted", EXIT_INTERRUPTED
    except Exception as error:
        if os.environ.get("OHHELL_DEBUG"):
            raise
        message, code = _refusal(error) if isinstance(error, OSError | MemoryError) else _bug(error)
    if message:
        _tell(message)
    return code


def _bug(error: Exception) -> tuple[str, int]:
    """Return what to say of an error that nobody has thought of, and the exit code."""
    message = (
        f"internal error: {type(error).__name__}: {escape(str(error), 300)} ({_place(error)}). This is a bug of the "
        "runner; what was stored is kept. Please report it, with the output of OHHELL_DEBUG=1."
    )
    return message, EXIT_STOPPED


def _refusal(error: OSError | MemoryError) -> tuple[str, int]:
    """Return what to say of something that the system did not let us do, and the exit code."""
    if isinstance(error, MemoryError):
        return "There is not enough memory. What was stored is kept.", EXIT_STOPPED
    reason = escape(error.strerror or str(error))
    where = f"{escape(str(error.filename))}: " if error.filename is not None else ""
    if error.errno in _LACKS:
        return f"{where}{reason}. Make room, or raise the limit. What was stored is kept.", EXIT_STOPPED
    try:
        Path.cwd()
    except OSError:
        return "The current directory is gone. Go to one that is there.", EXIT_USAGE
    return f"{where}{reason}. Check the path and its permissions.", EXIT_USAGE


def _regard_interrupts() -> None:
    for each in asked_for():
        signal.signal(each, _interrupt)


def _interrupt(number: int, frame: Any) -> None:
    _disregard_interrupts()  # what is left to do is clearing up
    raise KeyboardInterrupt


def _disregard_interrupts() -> None:
    for each in asked_for():
        signal.signal(each, _disregard)


def _disregard(number: int, frame: Any) -> None:
    """Do nothing. With SIG_IGN instead Python would complain of a signal that is pending when that is set."""


def _unraisable(lost: "sys.UnraisableHookArgs") -> None:
    """Have an interrupt come again that came where nothing can be raised, such as in a destructor."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    _regard_interrupts()
    threading.Timer(AGAIN_SECONDS, signal.pthread_kill, [threading.main_thread().ident, asked_for()[0]]).start()


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}" if trace is not None else "nowhere"


def _tell(message: str) -> None:
    _disregard_interrupts()  # another one would break off the interpreter's end with a traceback
    with suppress(OSError):  # the terminal may be gone
        click.echo(f"ohhell: {message}", err=True)
