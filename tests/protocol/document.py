"""Reads protocol.md as a program would: its code blocks, tables and transcripts."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "protocol.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"([<>])(?:\((\d)\))? +(\{.*\})")


@dataclass(frozen=True)
class Transcript:
    """A game as written down: `lines` are (direction, seat or None for every shown seat, text)."""

    title: str
    setup: dict
    lines: tuple

    @property
    def seats(self):
        return self.setup["seats"]

    def heard_at(self, seat):
        """The conversation of one seat: (direction, text), in order."""
        return [(direction, text) for direction, to, text in self.lines if to in (seat, None)]

    def ids(self, seat):
        """The ids of the requests to a seat."""
        messages = [json.loads(text) for direction, text in self.heard_at(seat) if direction == ">"]
        return [message["id"] for message in messages if message["type"].startswith("request")]


def blocks(language):
    """The code blocks in a language, as text."""
    return [body for name, body in _BLOCK.findall(TEXT) if name == language]


def section(heading):
    """The text under a heading up to the next one."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found, f"no heading {heading!r}"
    return found[1]


def tables(text):
    """The tables of a text, each a list of rows, each a list of cells; the heads are left out."""
    found = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    rows = [[[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()] for table in found]
    return [[[cell.strip("| ") for cell in row] for row in table[2:]] for table in rows]


def words(cell):
    """What a cell has in code type, split into words."""
    return [word for code in re.findall(r"`([^`]*)`", cell) for word in code.split()]


def transcripts():
    """Every transcript of the document, under the heading that it has there."""
    parts = TEXT.split("## Annotated transcripts\n")[1].split("\n## ")[0].split("\n### ")[1:]
    return [_transcript(part.partition("\n")[0], _BLOCK.search(part)[2]) for part in parts]


def _transcript(title, body):
    first, *rest = body.splitlines()
    assert first.startswith("game "), first
    lines = []
    for line in rest:
        if line[:1] in ("<", ">"):
            match = _LINE.fullmatch(line)
            assert match, line
            lines.append((match[1], None if match[2] is None else int(match[2]), match[3]))
        else:
            assert line.startswith("     "), line
    return Transcript(title, json.loads(first.removeprefix("game ")), tuple(lines))
