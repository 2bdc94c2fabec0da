"""The bots of a command line: found, told apart, copied, and ready to be started while they are played with."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from runner.entrant.errors import EntrantError
from runner.entrant.launch import Launch
from runner.entrant.manifest import Bot, entrant_id, find_bot, load_bot
from runner.entrant.snapshot import Snapshot, take_snapshot
from runner.entrant.temporary import temporary_directory
from runner.entrant.tree import become_subreaper
from runner.errors import OhHellError
from runner.text import escape


class LineupError(OhHellError):
    """Bots that cannot be played with: one line for each."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """Bots ready to be started, by entrant id in the order given; `fresh` ones ask for a new process every game.

    `notes` are for a person to see.
    """

    launches: Mapping[str, Launch]
    snapshots: Mapping[str, bytes]
    fresh: frozenset[str]
    notes: tuple[str, ...] = ()


def find_bots(words: Sequence[str]) -> dict[str, Bot]:
    """Return the bots that `words` name, by entrant id in that order.

    A word is a path or, where there is none, the name of a house bot. One bot named n times is ID-1 … ID-n.
    Raises `LineupError` with everything that is wrong.
    """
    problems: list[str] = []
    loaded: dict[str, tuple[str, Bot]] = {}
    for word in dict.fromkeys(words):
        try:
            path = find_bot(word, Path())
            loaded[word] = entrant_id(path), load_bot(path)
        except EntrantError as error:
            problems.append(str(error))
    if not problems:
        problems += _clashes([loaded[word] for word in words])
    if problems:
        raise LineupError("\n".join(problems))
    copies = Counter(loaded[word][0] for word in words)
    numbers: Counter[str] = Counter()
    bots: dict[str, Bot] = {}
    for word in words:
        one, bot = loaded[word]
        numbers[one] += 1
        bots[one if copies[one] == 1 else f"{one}-{numbers[one]}"] = bot
    return bots


def _clashes(found: Sequence[tuple[str, Bot]]) -> Iterator[str]:
    """Yield a sentence for every id that two different bots have, or that is a copy's of another."""
    places: dict[str, Bot] = {}
    for one, bot in found:
        if places.setdefault(one, bot) != bot:
            yield f"{escape(str(bot.directory))}: another bot here has the id {one} too; rename one of them"
    copies = Counter(one for one, _ in found)
    for one, count in copies.items():
        for number in range(1, count + 1):
            if count > 1 and f"{one}-{number}" in places:
                yield f"{one}-{number}: both a bot's id and that of a copy of {one}; rename one of them"


@contextmanager
def stage(bots: Mapping[str, Bot]) -> Iterator[Lineup]:
    """Take a snapshot of every bot, build it, and keep all in a directory that is gone after the block.

    So is every process that the bots have left. Raises `LineupError` for bots that cannot be copied or built.
    """
    become_subreaper()
    with temporary_directory() as temporary:
        scratch = temporary.path / "scratch"
        snapshots = _snapshots(bots, temporary.path / "snapshots")
        yield Lineup(
            {one: Launch(one, each.command, each.directory, scratch) for one, each in snapshots.items()},
            {one: each.hash for one, each in snapshots.items()},
            frozenset(one for one, bot in bots.items() if bot.manifest.restart not in (None, "never")),
            temporary.notes,
        )


def _snapshots(bots: Mapping[str, Bot], into: Path) -> dict[str, Snapshot]:
    problems: list[str] = []
    snapshots: dict[str, Snapshot] = {}
    for one, bot in bots.items():
        try:
            snapshots[one] = take_snapshot(bot, into)
        except EntrantError as error:
            problems.append(str(error))
    if problems:
        raise LineupError("\n".join(problems))
    return snapshots
