"""The real command in a process of its own, on a terminal of 80 columns or through pipes."""

import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from fcntl import ioctl
from pathlib import Path

OHHELL = (sys.executable, "-m", "runner")


def environment(**more: str) -> dict[str, str]:
    """An environment without what would decide about colours or width."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    return {**kept, "TERM": "xterm-256color", "LANG": "C.UTF-8", **more}


def piped(*words: str | Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run the command with its output in pipes."""
    return subprocess.run(
        [*OHHELL, *map(str, words)], env=environment(**more), capture_output=True, text=True, timeout=60, check=False
    )


def on_terminal(*words: str | Path, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run the command on a terminal of 80 columns; return its status and what it wrote there."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [*OHHELL, *map(str, words)],
        env=environment(**(env or {})),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    written = bytearray()
    try:
        while chunk := os.read(ours, 65_536):
            written += chunk
    except OSError:  # on Linux the end of a terminal is an error
        pass
    finally:
        os.close(ours)
    return process.wait(60), written.decode().replace("\r\n", "\n")
