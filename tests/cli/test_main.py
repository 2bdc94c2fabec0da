"""The command itself: where it refuses to start, and what it says when it fails."""

import subprocess
import sys
from pathlib import Path

import pytest

WINDOWS = """
import signal, sys
del signal.SIGHUP  # which Windows has not
import click
sys.platform = "win32"
from runner.cli import main
main(["--help"])
"""


def run(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)


def test_native_windows_is_told_of_wsl() -> None:
    """It ends with one sentence, before anything that Windows lacks is used."""
    ended = run(WINDOWS)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("ohhell: Windows is not supported natively: use WSL 2")


def test_help_loads_no_command() -> None:
    """Asking for help imports none of what commands need, which is what makes it quick."""
    code = (
        "import sys\nfrom runner.cli import main\ntry:\n    main(['--help'])\nfinally:\n"
        "    print([m for m in ('rich', 'numpy', 'jsonschema', 'msgspec', 'yaml') if m in sys.modules])"
    )
    ended = run(code)
    assert ended.returncode == 0
    assert ended.stdout.endswith("[]\n")


def test_a_bug_of_ours_is_one_sentence() -> None:
    """Whatever is raised, a user reads what it is and what to do, and no traceback."""
    code = (
        "import runner.cli as cli\n"
        "def broken(*args, **settings): raise ZeroDivisionError('by zero')\n"
        "cli.group.main = broken\ncli.main([])"
    )
    ended = run(code)
    assert ended.returncode == 3
    assert ended.stderr.startswith("ohhell: internal error: ZeroDivisionError: by zero (broken:2).")
    assert "Traceback" not in ended.stderr


MATCH = ("match", "lowest", "lowest", "lowest", "--set", "sizes=[1]")


def shell(command: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the command, which stands for `"$@"` in a line of bash."""
    line = ["bash", "-c", command, "bash", sys.executable, "-m", "runner", *words]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", [("rules",), ("rules", "--json"), MATCH, ("--help",)])
def test_closed_streams(closed: str, words: tuple[str, ...]) -> None:
    """What would go to a closed stream is lost, and that is all."""
    ended = shell(f'"$@" {closed}', *words)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert bool(ended.stdout) == (">&-" not in closed.replace("2>&-", ""))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has this device")
@pytest.mark.parametrize("words", [("rules",), ("rules", "--json"), MATCH, ("--help",)])
def test_output_that_cannot_be_written(words: tuple[str, ...]) -> None:
    """A full disk behind standard output is exit 3 and one sentence; behind standard error it changes nothing."""
    ended = shell('"$@" > /dev/full', *words)
    assert ended.returncode == 3
    assert ended.stderr == (
        "ohhell: No space left on device. Make room, or raise the limit. What was stored is kept.\n"
    )
    assert shell('"$@" 2> /dev/full', *words).returncode == 0


@pytest.mark.parametrize("words", [("rules",), ("rules", "--json"), MATCH])
def test_a_reader_that_has_gone(words: tuple[str, ...]) -> None:
    """Whoever wants no more output is not told anything; the exit code says that it is not all."""
    ended = shell('(sleep 0.2; exec "$@") | true; exit ${PIPESTATUS[0]}', *words)
    assert (ended.returncode, ended.stderr) == (3, "")


def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    """The current directory may have been removed: commands that need it say so."""
    for words in (MATCH, ("doctor",), ("run", "cup.yaml")):
        (tmp_path / "here").mkdir()
        ended = shell(f'cd {tmp_path}/here; rmdir {tmp_path}/here; exec "$@"', *words)
        assert ended.returncode == 2
        assert "Traceback" not in ended.stderr
        assert ended.stderr.startswith("ohhell: ")
        assert ended.stderr.count("\n") == 1
        assert "internal error" not in ended.stderr


def test_too_few_open_files() -> None:
    """A limit of ours that is too low is no bug of ours, and no bot's fault."""
    ended = shell('ulimit -n 24; exec "$@"', *MATCH)
    assert ended.returncode == 3
    assert ended.stderr.endswith("Too many open files. Make room, or raise the limit. What was stored is kept.\n")
    assert "fault of" not in ended.stdout


def test_children_that_nobody_waits_for() -> None:
    """A parent that ignores SIGCHLD has us do so too, unless we see to it: how bots end would not be known."""
    ended = shell("trap '' CHLD; exec \"$@\"", *MATCH)
    assert (ended.returncode, ended.stderr) == (0, "")


INTERRUPTED_WHILE_LOADING = """
import builtins, sys
def interrupted(name, *args, real=builtins.__import__, **settings):
    if name == "click":
        raise KeyboardInterrupt
    return real(name, *args, **settings)
builtins.__import__ = interrupted
from runner.__main__ import main
main()
"""


INTERRUPTED_IN_A_DESTRUCTOR = """
import os, signal, time
import runner.cli as cli
class Swallow:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1000):
            pass
def command(*args, **settings):
    Swallow()
    time.sleep(60)
cli.group.main = command
cli.main([])
"""


def test_an_interrupt_that_nothing_can_be_raised_for_comes_again() -> None:
    """Python only prints what is raised in a destructor; the command is interrupted all the same."""
    ended = run(INTERRUPTED_IN_A_DESTRUCTOR)
    assert (ended.returncode, ended.stderr) == (130, "ohhell: interrupted\n")


def test_interrupted_while_loading() -> None:
    """Ctrl-C before the command is there is no traceback either."""
    ended = run(INTERRUPTED_WHILE_LOADING)
    assert (ended.returncode, ended.stderr) == (130, "ohhell: interrupted\n")


@pytest.mark.parametrize("args", [[*MATCH, "--seed", "x"], ["match", "--help"]])
@pytest.mark.parametrize("columns", ["²", "0", "1", "-3", "9" * 30, "0002099999", ""])
def test_odd_sizes_of_the_terminal_are_not_believed(columns: str, args: list[str]) -> None:
    """No failure, and no letter a line: all reads as if nothing were set."""
    usual = shell('unset COLUMNS LINES; "$@"', *args)
    odd = shell(f'COLUMNS={columns} LINES={columns} "$@"', *args)
    assert (odd.returncode, odd.stdout) == (0, usual.stdout)
