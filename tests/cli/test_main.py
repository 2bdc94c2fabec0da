"""The command itself: where it refuses to start, and what it says when it fails."""

import subprocess
import sys

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
