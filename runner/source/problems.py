"""What is wrong with a file that a person wrote: where it stands, and a sentence about it."""

from dataclasses import dataclass


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


class Refused(Exception):
    """Carries a problem to whoever knows which file it is in; that is caught there, and no person sees it."""

    def __init__(self, place: Place, sentence: str) -> None:
        super().__init__(place, sentence)
        self.problem = Problem(place, sentence)
