"""Finds out without running anything why a bot's command could not be run, and resolves it to an argument vector.

The kernel says ENOENT for a missing file, a missing interpreter and a shebang with a Windows line end alike, and some
launchers hand a file without a shebang to the shell. So the file is looked at here first.
"""

import os
import shutil
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from runner.entrant.errors import EntrantError
from runner.text import escape

_PYTHON = ("python", "python3")
# Interpreters whose first argument that is no option is the file they run.
_SCRIPT_FIRST = frozenset({*_PYTHON, "node", "perl", "ruby", "sh", "bash", "dash", "php", "lua", "Rscript", "tclsh"})
# The kernel reads that much of a shebang line.
_SHEBANG_BYTES = 256
_BOM = b"\xef\xbb\xbf"
# ELF, and Mach-O in its four thin and one universal forms.
_PROGRAMS = (
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
)


def resolve_command(words: Sequence[str], directory: Path) -> tuple[str, ...]:
    """Return `words` as an argument vector that can be run in `directory`; raise `EntrantError` if it cannot.

    `python` and `python3` are the interpreter that runs this; other bare words are looked up on PATH; a first word with
    a slash is a file in `directory`. The rest is left as it stands, and no word may lead out of the directory.
    """
    if not words:
        raise EntrantError(directory, "the command is empty")
    for word in words:
        _check_contained(word, directory)
    first = words[0]
    if "/" in first:
        program = str(_program_inside(directory, first))
    elif first in _PYTHON:
        program = sys.executable
    elif (found := shutil.which(first)) is not None:
        program = found
    else:
        beside = f"; for the file beside the manifest write ./{escape(first)}" if (directory / first).exists() else ""
        raise EntrantError(directory, f"program {escape(first)} not found on PATH{beside}")
    script = next((word for word in words[1:] if not word.startswith("-")), None)
    if first in _SCRIPT_FIRST and script is not None and script == words[1]:
        _inside(directory, script)
    return (program, *words[1:])


def _check_contained(word: str, directory: Path) -> None:
    if "\0" in word or "\n" in word:
        raise EntrantError(directory, f"the word {escape(word, 60)} has a control character")
    if word.startswith(("/", "~")) or ".." in word.split("/"):
        sentence = f"{escape(word, 60)} leads out of the bot's directory; name files relative to it"
        raise EntrantError(directory, f"{sentence}, and programs of the system by their bare name")


def _inside(directory: Path, word: str) -> Path:
    """Return the regular file that `word` names within `directory`."""
    path = directory / word
    real = Path(os.path.realpath(path))
    if not os.path.lexists(path):
        raise EntrantError(directory, f"no such file: {escape(word, 60)}")
    if not real.is_relative_to(os.path.realpath(directory)) or not real.is_file():
        raise EntrantError(directory, f"not a regular file inside the bot's directory: {escape(word, 60)}")
    return real


def _program_inside(directory: Path, word: str) -> Path:
    path = _inside(directory, word)
    reason = unrunnable(path, directory)
    if reason is not None:
        raise EntrantError(directory, f"{reason}: {escape(word, 60)}")
    # The name as written, not what a link leads to: some programs act by the name they are called by.
    return directory / word


def unrunnable(path: Path, directory: Path) -> str | None:
    """Return why the regular file `path` could not be run from `directory`, None if nothing speaks against it."""
    if not os.access(path, os.X_OK):
        return "not executable (chmod +x)"
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except PermissionError:
        return None  # executable but not readable: the kernel does not need to let us look
    with open(fd, "rb") as file:  # noqa: PTH123 — a descriptor, not a path
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return "not a regular file"
        return _bad_head(file.read(_SHEBANG_BYTES), directory)


def _bad_head(head: bytes, directory: Path) -> str | None:
    """Return why a file that begins with `head` is not a program."""
    if head.startswith(b"#!"):
        return _bad_shebang(head[2:], directory)
    if not head:
        return "exec format error: the file is empty"
    if head.startswith(_BOM + b"#!"):
        return "BOM before the shebang; save the file as UTF-8 without BOM"
    if head.startswith(_PROGRAMS):
        return None
    return "exec format error: neither a program nor a script that begins with #!"


def _bad_shebang(head: bytes, directory: Path) -> str | None:
    line, end, _ = head.partition(b"\n")
    if end and line.endswith(b"\r"):
        return "the shebang line ends in CR (Windows line ends); save the file with Unix line ends"
    interpreter, _, argument = os.fsdecode(line).strip(" \t").partition(" ")
    if not interpreter:
        return "exec format error: the shebang names no interpreter"
    path = directory / interpreter
    if not path.exists():
        return f"interpreter {escape(interpreter, 80)} not found"
    if not path.is_file() or not os.access(path, os.X_OK):
        return f"interpreter {escape(interpreter, 80)} is not executable"
    if path.name == "env":
        return _bad_env(argument.strip(" \t"))
    return None


def _bad_env(argument: str) -> str | None:
    """Return what is wrong with `#!/usr/bin/env argument`: the kernel passes all of it as one word."""
    if argument.startswith("-"):
        return None
    if len(argument.split()) > 1:
        quoted = escape(argument, 60)
        return f"env looks for a program called '{quoted}'; write #!/usr/bin/env -S {quoted}"
    if not argument:
        return "exec format error: the shebang names no interpreter"
    if shutil.which(argument) is None:
        return f"interpreter {escape(argument, 80)} not found on PATH"
    return None
