"""The one error that carries all that is wrong with a tournament file."""

from collections.abc import Iterable
from pathlib import Path

from runner.errors import OhHellError
from runner.source.problems import Problem
from runner.text import escape


class ConfigError(OhHellError):
    """A tournament file that is refused; `problems` has all that is wrong with it, in the order of the file.

    The message has one line a problem, `FILE:LINE:COLUMN: sentence`.
    """

    def __init__(self, path: Path, problems: Iterable[Problem]) -> None:
        self.path = path
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(f"{escape(str(path))}:{each.place}: {each.sentence}" for each in self.problems))
