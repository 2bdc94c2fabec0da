"""Runs a bot's build command once, in its snapshot, under a time limit, and keeps what it says."""

import os
import select
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from runner.entrant import tree
from runner.entrant.errors import EntrantError
from runner.entrant.launch import Launch, ending, make_scratch, spawn
from runner.entrant.preflight import resolve_command
from runner.entrant.remove import discard_tree
from runner.protocol.faults import Fault
from runner.text import escape

BUILD_SECONDS = 120
# The log keeps its end: that is where a compiler says what stopped it.
MAX_LOG_BYTES = 256 * 1024
_SHOWN_CHARACTERS = 600
_LOOK_SECONDS = 0.02


def run_build(words: Sequence[str], directory: Path, log: Path, seconds: float = BUILD_SECONDS) -> None:
    """Run the build command `words` in `directory`, its output to `log`; everything it starts is gone afterwards.

    Raises `EntrantError` of kind `build` with the end of the log if it cannot be run, fails or takes too long.
    """
    try:
        command = resolve_command(words, directory)
    except EntrantError as error:
        raise EntrantError(directory, error.sentence, "build") from error
    home = make_scratch(log.parent)
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    silence = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        popen = spawn(Launch("build", command, directory, Path(home)), home, silence, writer, writer)
        os.close(writer)
        writer = -1
        if isinstance(popen, Fault):
            raise EntrantError(directory, popen.detail, "build")
        output, in_time = _follow(popen, home, reader, seconds)
    finally:
        for fd in (reader, silence, writer):
            if fd >= 0:
                os.close(fd)
        discard_tree(home)
    log.write_bytes(output)
    if popen.returncode == 0:
        return
    reason = ending(popen.returncode) if in_time else f"not done within {seconds:g} s"
    end = output[-_SHOWN_CHARACTERS:].strip()
    raise EntrantError(directory, f"{reason}: {escape(end) if end else 'it said nothing'}", "build")


def _follow(popen: "subprocess.Popen[bytes]", home: str, reader: int, seconds: float) -> tuple[bytes, bool]:
    """Return the end of what the build writes, and whether it ended in time; then end its whole tree."""
    output = bytearray()
    deadline = time.monotonic() + seconds
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    open_ended = True
    in_time = False
    try:
        while not (in_time := _ended(popen)) and time.monotonic() < deadline:
            if not open_ended:
                time.sleep(_LOOK_SECONDS)
            elif poll.poll(_LOOK_SECONDS * 1000):
                open_ended = _read(reader, output)
    finally:
        tree.kill_tree(popen.pid, home, {})
        popen.wait()
        tree.forget(popen.pid)
    while open_ended and _read(reader, output):
        pass
    return bytes(output), in_time


def _ended(popen: "subprocess.Popen[bytes]") -> bool:
    """Say whether the build has ended; on Linux without reaping it, so that its number stays its own."""
    if not tree.LINUX:
        return popen.poll() is not None
    stat = tree.read_stat(popen.pid)
    return stat is None or stat.state in "ZX"


def _read(reader: int, output: bytearray) -> bool:
    """Add what is in the pipe to `output`; False at its end or when it is empty."""
    try:
        chunk = os.read(reader, 65_536)
    except BlockingIOError:
        return False
    output += chunk
    del output[:-MAX_LOG_BYTES]
    return bool(chunk)
