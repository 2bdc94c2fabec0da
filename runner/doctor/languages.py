"""Looks for languages that bots may be written in, by asking each for its version."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from runner.doctor.finding import Finding
from runner.text import escape

TIMEOUT_SECONDS = 3.0
_READ_BYTES = 4096

# The words that make each print its version.
LANGUAGES = {
    "python3": ("python3", "--version"),
    "node": ("node", "--version"),
    "java": ("java", "-version"),
    "cc": ("cc", "--version"),
    "g++": ("g++", "--version"),
    "rustc": ("rustc", "--version"),
    "go": ("go", "version"),
    "perl": ("perl", "-e", "print $^V"),
    "ruby": ("ruby", "--version"),
    "lua": ("lua", "-v"),
    "php": ("php", "--version"),
    "bash": ("bash", "--version"),
    "dotnet": ("dotnet", "--version"),
    "ghc": ("ghc", "--version"),
}


def examine_languages() -> Iterator[Finding]:
    """Yield what is found of each language; `python3` in a bot's command is the Python that runs this."""
    here = {name: words for name, words in LANGUAGES.items() if name != "python3" and shutil.which(words[0])}
    found = f"Python {sys.version.split()[0]}: the Python that runs this, whatever is on PATH"
    yield Finding("languages", "python3", "ok", found)
    with ThreadPoolExecutor(max_workers=2) as pool:
        for name, version in zip(here, pool.map(ask_version, here.values()), strict=True):
            if version is None:
                advice = f"It is on PATH but does not tell its version within {TIMEOUT_SECONDS:g} s: try it by hand."
                yield Finding("languages", name, "note", "gives no answer", advice)
            else:
                yield Finding("languages", name, "ok", version)
    if missing := [name for name in LANGUAGES if name != "python3" and name not in here]:
        yield Finding("languages", "not found", "note", ", ".join(missing), "Install those that bots are written in.")


def ask_version(words: tuple[str, ...], seconds: float = TIMEOUT_SECONDS) -> str | None:
    """Return the first line that the command `words` prints, None if it fails or takes longer than `seconds`."""
    # To a file, not a pipe: one that a grandchild keeps open would be waited for without end.
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
        except OSError:
            return None
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = -1
        finally:
            _end(process)
        output.seek(0)
        text = output.read(_READ_BYTES).decode(errors="backslashreplace").strip()
    return escape(text.splitlines()[0], 70) if status == 0 and text else None


def _end(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
