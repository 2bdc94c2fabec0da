"""What is wrong with a tournament file: places, sentences, and the one error that carries them all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from runner.errors import OhHellError
from runner.text import escape


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something stands in a file: line and column in characters, both from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


START = Place(1, 1)


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing to put right: where, and a sentence that says what is wrong and what to do."""

    place: Place
    sentence: str


class ConfigError(OhHellError):
    """A tournament file that is refused; `problems` has all that is wrong with it, in the order of the file.

    The message has one line a problem, `FILE:LINE:COLUMN: sentence`.
    """

    def __init__(self, path: Path, problems: Iterable[Problem]) -> None:
        self.path = path
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(f"{escape(str(path))}:{each.place}: {each.sentence}" for each in self.problems))


def quoted(text: str) -> str:
    """Return foreign `text` in backquotes, escaped and cut short, for use in a sentence."""
    return f"`{escape(text, 60)}`"


def listed(words: Iterable[str], last: str = "or") -> str:
    """Return "a", "a or b", "a, b or c"."""
    *head, tail = words
    return f"{', '.join(head)} {last} {tail}" if head else tail


def suggestion(word: str, known: Sequence[str]) -> str:
    """Return " Did you mean `x`?" for the known word closest to `word`, or nothing if none is close."""
    close = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return f" Did you mean `{close[0]}`?" if close else ""
