"""The one error of a bot that is refused before it plays."""

from pathlib import Path

from runner.errors import OhHellError
from runner.protocol.faults import FaultKind
from runner.text import escape


class EntrantError(OhHellError):
    """A bot's path, manifest, program or build that is refused.

    `kind` is the kind of fault that it would be in play, and `sentence` then a detail like a fault's; it is None for
    what is written wrongly, a path, an id or a manifest, and `sentence` then a whole sentence.
    """

    def __init__(self, where: Path | str, sentence: str, kind: FaultKind | None = "start") -> None:
        super().__init__(where, sentence, kind)  # all three, so that it can be pickled
        self.where = where
        self.sentence = sentence
        self.kind: FaultKind | None = kind

    def __str__(self) -> str:
        kind = f"{self.kind}: " if self.kind else ""
        return f"{escape(str(self.where))}: {kind}{self.sentence}"
