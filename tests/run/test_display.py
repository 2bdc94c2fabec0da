"""What a person sees while a run is in play: on a terminal, and in a log."""

import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from fcntl import ioctl
from typing import Any

import pytest

from tests.run.conftest import SECONDS, Place


def field(place: Place, **keys: Any) -> None:
    place.write([place.gate(), place.bot("b", "low"), place.bot("c"), place.bot("wrong", "illegal?")], **keys)


def on_terminal(place: Place, *words: str, hang_up_at: int | None = None, **env: str) -> tuple[str, int]:
    """Run on a terminal of 80 columns; return all that was sent to it and the exit code."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def take_terminal() -> None:
        ioctl(0, termios.TIOCSCTTY, 0)

    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm"} | env
    run = place.start("run", "cup.yaml", "--out", "out", *words, **ends, env=environment, preexec_fn=take_terminal)
    os.close(theirs)
    seen = b""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.05)[0]:
            try:
                seen += os.read(ours, 65_536)
            except OSError:  # nobody holds the other end any more
                break
        if hang_up_at is not None and place.count() >= hang_up_at:
            break
    os.close(ours)
    return seen.decode(), run.wait(SECONDS)


def screen(sent: str) -> list[str]:
    """Return the lines that a terminal of 80 columns shows after all that was sent, trailing blanks left out."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]", sent):
        if part == "\n":
            row += 1
            while len(lines) <= row:
                lines.append("")
        elif part == "\r":
            column = 0
        elif part.startswith("\x1b"):
            count = int(re.sub(r"\D", "", part) or "1")
            if part.endswith("A"):
                row = max(0, row - count)
            elif part.endswith("K"):
                lines[row] = "" if part == "\x1b[2K" else lines[row][:column]
        else:
            if column == 80:
                row, column = row + 1, 0
                while len(lines) <= row:
                    lines.append("")
            lines[row] = lines[row].ljust(column)[:column] + part + lines[row][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines]


def test_live_display(place: Place) -> None:
    """It shows done and total, rate, time left, faults and leaders; afterwards only notes and standings stand there."""
    field(place, replicates=10)
    sent, code = on_terminal(place, "--workers", "2")
    assert code == 0
    assert "\x1b[" in sent
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", sent)
    assert re.search(r"\d+/40", plain)
    assert re.search(r"[\d.]+ matches/s · .* left · (no faults|\d+ faults?)", plain)
    assert re.search(r"leading: [\w-]+ [+-]\d", plain)
    shown = screen(sent)
    assert all(len(line) <= 80 for line in shown)
    assert not [line for line in shown if "matches/s" in line or "leading" in line or "/40" in line]
    assert any(line.startswith("wrong: illegal: ") for line in shown)
    assert any("place" in line or "entrant" in line for line in shown)
    assert sum(line.split()[1:2] == ["wrong"] for line in shown if line) <= 1
    assert sent.count("\x1b[?25l") == sent.count("\x1b[?25h") > 0  # the cursor is back


def test_no_color(place: Place) -> None:
    """NO_COLOR is obeyed: cursor movements at most, no colours."""
    field(place)
    sent, code = on_terminal(place, NO_COLOR="1")
    assert code == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9][0-9;]*m", sent)


def test_lost_terminal(place: Place) -> None:
    """A terminal that goes away interrupts the run like Ctrl-C: exit 130, and all that was played is kept."""
    field(place, replicates=200)
    _, code = on_terminal(place, "--workers", "2", hang_up_at=3)
    assert code == 130
    assert place.count() >= 3
    assert place.scratch_is_gone()


@pytest.mark.parametrize("workers", ["1", "3"])
def test_faults_are_logged(place: Place, workers: str) -> None:
    """Each fault that a worker sees reaches the parent's standard error on a line of its own, before the standings."""
    field(place, replicates=2)
    told = place.play("--workers", workers).stderr
    faults = place.rows("select kind, detail from fault")
    lines = [line for line in told.splitlines() if line.startswith("wrong: ")]
    assert faults
    shown = [line for line in lines if "not shown" not in line]
    assert len(shown) == min(len(faults), 5)
    assert all(re.match(r"wrong: illegal: .+ \(game [0-9a-f]{16}\.\d/\d, decision \d+\)", one) for one in shown)
    assert re.search(rf"8 of 8 matches · [\d.]+ matches/s · .* in all · {len(faults)} faults?", told)
    assert "\x1b" not in told


def test_faults_are_told_with_a_game_to_look_at(place: Place) -> None:
    """Below the standings stands who faulted, how often and how first; the game named there is one that shows it."""
    place.write([place.bot("a"), place.bot("b", "low"), place.bot("dies", "die"), place.bot("wrong", "illegal?")],
                replicates=12)  # fmt: skip
    out = place.play().stdout
    table, faults = out.split("\nFaults, and the first of each\n")
    assert "disqualified" not in table
    assert re.search(r"^dies: \d+ died, disqualified\. Game [0-9a-f]{16}\.\d+/0, decision \d+:", faults, re.MULTILINE)
    assert all(len(line) <= 80 for line in faults.splitlines() if "ohhell replay" not in line)
    words = re.findall(r"ohhell (replay out \S+)$", faults, re.MULTILINE)
    assert "fault" in place.ohhell(*words[0].split()).stdout
    assert place.ohhell("standings", "out").stdout == out


def test_never_more_done_than_there_is(place: Place) -> None:
    """Where a disqualification has matches played again, the last line still says all of all, and says it once."""
    place.write([place.bot("a"), place.bot("b", "low"), place.bot("dies", "die")], replicates=12)
    told = place.play("--workers", "1").stderr
    assert place.count() > 12
    assert re.findall(r"(\d+) of (\d+) matches ·", told)[-1] == ("12", "12")
    assert told.count("12 of 12 matches") == 1


def test_output_closed_early(place: Place) -> None:
    """Whoever reads only the first line of the results gets no traceback."""
    field(place)
    run = place.start("run", "cup.yaml", "--out", "out")
    assert run.stdout
    run.stdout.close()
    assert run.stderr
    told = run.stderr.read()
    run.wait(SECONDS)
    assert "Traceback" not in told
    assert "Exception" not in told
    assert isinstance(run, subprocess.Popen)
    assert place.count() == 4
