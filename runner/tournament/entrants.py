"""Reads the entrants of a tournament file: which bots take part, under which ids.

What the file says wrongly is a `Problem`. A bot that is there but cannot be started is not: it stands in
`Entrant.bot` as an `EntrantError`, and the file's `faults.broken` says what becomes of it.
"""

import glob
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from runner import data
from runner.entrant.errors import EntrantError
from runner.entrant.manifest import Bot, entrant_id, find_bot, load_bot
from runner.source.problems import Place, Problem
from runner.source.tree import Items, Node, Scalar, shown
from runner.text import MAX_ID_LENGTH, escape, listed, quoted
from runner.tournament.keys import EntrantKeys
from runner.tournament.schema_check import check

HOUSE_PREFIX = "house-"
HOUSE_BOT = "counter"
# Standings, keys and pairs are computed over the whole field; a thousand is far beyond any class.
MAX_ENTRANTS = 1000


@dataclass(frozen=True, slots=True)
class Entrant:
    """One entrant. `bot` is the error of a bot that cannot be started; `place` is None for one that the house adds."""

    id: str
    path: Path
    bot: Bot | EntrantError
    place: Place | None

    @property
    def is_house(self) -> bool:
        """Return whether it fills up the table and is not ranked."""
        return self.place is None


@dataclass(frozen=True, slots=True)
class _Listing:
    """What the file says of one entrant, or of several by a pattern."""

    place: Place
    path: str
    id: str | None
    id_place: Place
    copies: int | None


@dataclass(slots=True)
class _Field:
    """The entrants so far, what is wrong, and what a person should know though it is right."""

    base: Path
    problems: list[Problem]
    entrants: list[Entrant] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    places_by_id: dict[str, Place] = field(default_factory=dict)
    places_by_file: dict[str, Place] = field(default_factory=dict)


def read_entrants(node: Node, base: Path, problems: list[Problem]) -> tuple[list[Entrant], list[str]]:
    """Return the entrants in file order (what a pattern matches sorted by id) and notes; add all that is wrong.

    Paths are relative to `base`, the directory of the tournament file.
    """
    found = _Field(base, problems)
    listed_here = () if isinstance(node, Scalar) else node.items if isinstance(node, Items) else node.pairs
    if not listed_here and not isinstance(node, Scalar):
        problems.append(Problem(node.place, "No entrant is listed here: list at least one bot."))
    if len(listed_here) > MAX_ENTRANTS:
        problems.append(Problem(node.place, _too_many(len(listed_here))))
        return [], []
    for listing in _listings(node, problems):
        _add(listing, found)
    if len(found.entrants) > MAX_ENTRANTS:
        problems.append(Problem(node.place, _too_many(len(found.entrants))))
    return found.entrants, found.notes


def _too_many(count: int) -> str:
    return f"These are {count:,} entrants, and a tournament has at most {MAX_ENTRANTS:,}."


def house_entrants(count: int) -> list[Entrant]:
    """Return the entrants house-1, house-2 … that fill up a table."""
    path = data.bots_dir() / HOUSE_BOT
    return [Entrant(f"{HOUSE_PREFIX}{number}", path, _loaded(path), None) for number in range(1, count + 1)]


def _loaded(path: Path) -> Bot | EntrantError:
    try:
        return load_bot(path)
    except EntrantError as error:
        return error


def _listings(node: Node, problems: list[Problem]) -> Iterator[_Listing]:
    if isinstance(node, Items):
        for item in node.items:
            yield from _listing(item, None, problems)
    elif isinstance(node, Scalar):
        sentence = f"`entrants` must be a list of paths or a mapping of ids to paths, not {shown(node)}."
        problems.append(Problem(node.place, sentence))
    elif node.get("from") and {key.text for key, _ in node.pairs} <= {"from", "top"}:
        sentence = "Entrants from another run are not available in this version: list them."
        problems.append(Problem(node.place, sentence))
    else:
        for key, value in node.pairs:
            yield from _listing(value, key, problems)


def _listing(node: Node, key: Scalar | None, problems: list[Problem]) -> Iterator[_Listing]:
    """Yield the one listing that `node` is, or nothing if something is wrong with it."""
    if isinstance(node, Items) or (isinstance(node, Scalar) and node.value is None):
        whose = f" of {quoted(key.text)}" if key else ""
        sentence = f"An entrant is a path or a mapping with `path`; here{whose} stands {shown(node)}."
        problems.append(Problem(node.place, sentence))
        return
    if isinstance(node, Scalar):
        yield _Listing(node.place, node.text, key.text if key else None, key.place if key else node.place, None)
        return
    prefix = f"{key.text}." if key else ""
    keys, wrong = check(node, EntrantKeys, escape(prefix, 60))
    problems += wrong
    id_node = node.get("id")
    if key and id_node:
        problems.append(Problem(id_node.place, f"The key {quoted(key.text)} is this entrant's id: leave `id` out."))
    elif keys:
        identity = key or id_node
        path_node = node.get("path") or node
        text = key.text if key else keys.id
        yield _Listing(path_node.place, keys.path, text, (identity or path_node).place, keys.copies)


def _add(listing: _Listing, found: _Field) -> None:
    paths = _paths(listing, found)
    if listing.id is not None and len(paths) > 1:
        sentence = f"{quoted(listing.path)} matches {len(paths)} bots, which cannot share one id: list it without `id`."
        found.problems.append(Problem(listing.id_place, sentence))
        return
    named: list[tuple[str, Path]] = []
    for path in paths:
        try:
            named.append((entrant_id(path, listing.id), path))
        except EntrantError as error:
            found.problems.append(Problem(listing.id_place, error.sentence))
    for identity, path in sorted(named):
        _add_bot(identity, path, listing, found)


def _add_bot(identity: str, path: Path, listing: _Listing, found: _Field) -> None:
    bot = _loaded(path)
    file = os.path.realpath(path) if isinstance(bot, EntrantError) else str(bot.directory / (bot.source or ""))
    if file in found.places_by_file:
        first = found.places_by_file[file]
        sentence = (
            f"{quoted(Path(file).name)} takes part already (listed at {first}): for more of it, give it `copies`."
        )
        found.problems.append(Problem(listing.place, sentence))
        return
    found.places_by_file[file] = listing.place
    ids = [identity] if listing.copies is None else [f"{identity}-{n}" for n in range(1, listing.copies + 1)]
    for each in ids:
        if wrong := _wrong_id(each, found):
            found.problems.append(Problem(listing.id_place, wrong))
            return
        found.places_by_id[each] = listing.id_place
        found.entrants.append(Entrant(each, path, bot, listing.place))


def _wrong_id(identity: str, found: _Field) -> str | None:
    if len(identity) > MAX_ID_LENGTH:  # only with the number of a copy behind it
        return f"The id `{identity}` is longer than {MAX_ID_LENGTH} characters: give a shorter `id`."
    if identity.startswith(HOUSE_PREFIX):
        return f"The id `{identity}` begins with {HOUSE_PREFIX}, which is kept for bots that fill up a table."
    if identity in found.places_by_id:
        first = found.places_by_id[identity]
        form = "give one of them another: {path: PATH, id: ID}"
        return f"The id `{identity}` is taken (by the entrant at {first}): {form}."
    return None


def _paths(listing: _Listing, found: _Field) -> list[Path]:
    """Return the absolute paths that a listing names; what names nothing is a problem."""
    text = listing.path
    if not text or not text.isprintable():
        found.problems.append(Problem(listing.place, f"{quoted(text)} is not a path: it has to be printable text."))
        return []
    if any(each in text for each in "*?[") and not os.path.lexists(found.base / text):
        return _matches(listing, found)
    try:
        return [find_bot(text, found.base)]
    except EntrantError as error:
        found.problems.append(Problem(listing.place, error.sentence))
        return []


def _matches(listing: _Listing, found: _Field) -> list[Path]:
    names = sorted(glob.glob(listing.path, root_dir=found.base))  # noqa: PTH207 - Path.glob refuses absolute patterns
    paths = [Path(os.path.abspath(found.base / name)) for name in names]  # noqa: PTH100 - as in find_bot
    bots = [path for path in paths if _may_be_bot(path)]
    passed_over = [escape(path.name) for path in paths if path not in bots]
    if not bots:
        sentence = f"No bot matches {quoted(listing.path)}; patterns are relative to the tournament file."
        found.problems.append(Problem(listing.place, sentence))
    elif passed_over:
        found.notes.append(f"{quoted(listing.path)} passes over {listed(passed_over, 'and')}: they cannot be bots.")
    return bots


def _may_be_bot(path: Path) -> bool:
    """Return whether a pattern is meant to catch this: a directory, Python source or an executable."""
    # What may not even be looked at is no bot, where Path would raise.
    if os.path.isdir(path):  # noqa: PTH112
        return path.name != "__pycache__"
    return path.suffix == ".py" or (os.path.isfile(path) and bool(path.stat().st_mode & stat.S_IXUSR))  # noqa: PTH113
