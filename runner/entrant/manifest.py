"""Finds out what a bot is: its directory, its manifest `bot.yaml` if it has one, its command and its id."""

import os
import shlex
import stat
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from runner import data
from runner.entrant.errors import EntrantError
from runner.entrant.preflight import resolve_command
from runner.errors import did_you_mean
from runner.source.problems import Refused
from runner.source.reader import read
from runner.source.tree import Fields, Items, Node, Scalar, shown
from runner.text import MAX_ID_LENGTH, escape, listed, quoted, slug

MANIFEST_NAME = "bot.yaml"
MAX_NAME_LENGTH = 40
MAX_TEXT_LENGTH = 80
# What a bot may ask for itself.
LIMIT_NAMES = ("memory_mb", "processes", "scratch_mb")
MAX_LIMIT = 999_999_999

Restart = Literal["never", "match", "game"]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What `bot.yaml` says; None or empty where it says nothing. Commands are words, never for a shell."""

    name: str | None = None
    command: tuple[str, ...] | None = None
    build: tuple[str, ...] | None = None
    language: str | None = None
    author: str | None = None
    version: str | None = None
    restart: Restart | None = None
    limits: dict[str, int] = {}
    ignore: tuple[str, ...] = ()


class Bot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot as found: its real directory, for a bare file that file's name in it, and the words of its command.

    `name` is the manifest's display name, else that of the directory or file; it is checked but still foreign text.
    """

    directory: Path
    source: str | None
    manifest: Manifest
    command: tuple[str, ...]
    name: str


def find_bot(word: str, base: Path) -> Path:
    """Return the absolute path of what `word` names: a path relative to `base`, or where none is there a house bot.

    Raises `EntrantError` with what is near.
    """
    path = Path(os.path.abspath(base / word))  # noqa: PTH100 - resolve() would follow links, and so rename bots
    if os.path.lexists(path):
        return path
    house = data.house_bots()
    if word in house:
        return data.bots_dir() / word
    shipped = f" The house bots are {listed(house, 'and')}; paths are relative to `{escape(str(base.absolute()))}`."
    hint = did_you_mean(path.name, [*house, *_names_in(path.parent)]) or shipped
    raise EntrantError(word, f"There is neither a file or directory nor a house bot {quoted(word)}.{hint}", None)


def _names_in(directory: Path) -> list[str]:
    try:
        return sorted(each.name for each in directory.iterdir() if each.name.isprintable())
    except OSError:
        return []


def load_bot(path: Path) -> Bot:
    """Return the bot at `path`: a directory, its `bot.yaml`, or a bare `.py` or executable file.

    A directory without a command in a manifest is run by its `bot.py`, else by its `bot`. Nothing is executed, but all
    that can be known beforehand is checked. Raises `EntrantError` with one sentence.
    """
    real = _real(path)
    if stat.S_ISREG(real.stat().st_mode) and real.name == MANIFEST_NAME:
        real = real.parent
    if real.is_dir():
        manifest = _read_manifest(real)
        bot = Bot(
            directory=real,
            source=None,
            manifest=manifest,
            command=manifest.command or _usual_command(real, manifest),
            name=manifest.name or path.name,
        )
    elif real.is_file():
        words = ("python3", f"./{real.name}") if real.suffix == ".py" else (f"./{real.name}",)
        bot = Bot(directory=real.parent, source=real.name, manifest=Manifest(), command=words, name=path.name)
    else:
        raise EntrantError(path, "neither a directory nor a regular file")
    if bot.manifest.build is None:
        resolve_command(bot.command, bot.directory)
    else:
        resolve_command(bot.manifest.build, bot.directory)
    return bot


def entrant_id(path: Path, given: str | None = None) -> str:
    """Return the id of the entrant at `path`: from `given` (a tournament file's key or `id`), else from its name.

    That is the directory's name, for a bare file its stem, or its directory's name if the stem is `bot`; in lower case,
    with runs of anything but a-z 0-9 _ - turned into one "-", 1 to 40 characters.
    """
    if given is None:
        whole = Path(os.path.abspath(path))  # noqa: PTH100 — a link gives its own name, not that of what it leads to
        bare = not whole.is_dir()
        given = whole.name if not bare else whole.parent.name if whole.stem == "bot" else whole.stem
    made = slug(given)
    if not 1 <= len(made) <= MAX_ID_LENGTH:
        sentence = f"{quoted(given)} makes an id of {len(made)} characters, 1 to {MAX_ID_LENGTH} are allowed"
        raise EntrantError(path, f"{sentence}: rename it or give it an id.", None)
    return made


def check_name(name: str) -> str | None:
    """Return what is wrong with a display name, None if it is 1 to 40 letters, digits, spaces and "-_." in NFC."""
    if not name.strip():
        return "The name is empty."
    if len(name) > MAX_NAME_LENGTH:
        return f"The name has {len(name):,} characters, {MAX_NAME_LENGTH} are allowed."
    # Marks belong to the letters of many scripts; a name cannot begin with one.
    refused = [c for c in name if c not in " -_." and unicodedata.category(c)[0] not in "LNM"]
    if refused or unicodedata.category(name[0])[0] == "M":
        points = " ".join(f"U+{ord(c):04X}" for c in dict.fromkeys(refused or name[0]))
        return f"The name has {points}; letters, digits, spaces and - _ . are allowed."
    if name != name.strip():
        return "The name begins or ends with a space."
    return None


def _real(path: Path) -> Path:
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise EntrantError(path, "no such file or directory") from error
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "the path cannot be followed"
        raise EntrantError(path, escape(reason)) from error


def _usual_command(directory: Path, manifest: Manifest) -> tuple[str, ...]:
    if os.path.lexists(directory / "bot.py"):
        return ("python3", "bot.py")
    if os.path.lexists(directory / "bot") or manifest.build:
        return ("./bot",)
    raise EntrantError(directory, f"no command: there is neither one in {MANIFEST_NAME} nor a bot.py nor a bot")


# -- the manifest ------------------------------------------------------------------------------------------------------


def _read_manifest(directory: Path) -> Manifest:
    path = directory / MANIFEST_NAME
    if not os.path.lexists(path):
        return Manifest()
    root, problems = read(path, follow=False)
    try:
        manifest = _manifest(root)
    except Refused as refused:
        problems.append(refused.problem)
    if problems:
        first = min(problems)
        raise EntrantError(f"{path}:{first.place}", first.sentence, None)
    return manifest


def _manifest(root: Node | None) -> Manifest:
    """Return what the tree says, up to the first thing that is wrong: a `Refused`."""
    if root is None:
        return Manifest()
    if not isinstance(root, Fields):
        raise Refused(root.place, f"A manifest is a mapping, with lines such as `name: My bot`, not {shown(root)}.")
    values: dict[str, Any] = {}
    for key, node in root.pairs:
        if key.text not in _READERS:
            hint = did_you_mean(key.text, _READERS) or f" The keys here are {listed(_READERS, 'and')}."
            raise Refused(key.place, f"There is no key {quoted(key.text)}.{hint}")
        if not (isinstance(node, Scalar) and node.value is None):
            values[key.text] = _READERS[key.text](key.text, node)
    return Manifest(**values)


def _text(key: str, node: Node) -> str:
    if not isinstance(node, Scalar) or node.value is None:
        raise Refused(node.place, f"`{key}` wants text here, not {shown(node)}.")
    return node.text


def _line(key: str, node: Node) -> str:
    text = _text(key, node)
    if len(text) > MAX_TEXT_LENGTH or escape(text) != text:
        raise Refused(node.place, f"`{key}` must be one line of at most {MAX_TEXT_LENGTH} printable characters.")
    return text


def _name(key: str, node: Node) -> str:
    name = unicodedata.normalize("NFC", _text(key, node))
    if (wrong := check_name(name)) is not None:
        raise Refused(node.place, wrong)
    return name


def _texts(key: str, node: Items) -> tuple[str, ...]:
    return tuple(_text(key, item) for item in node.items)


def _words(key: str, node: Node) -> tuple[str, ...]:
    try:
        words = _texts(key, node) if isinstance(node, Items) else tuple(shlex.split(_text(key, node)))
    except ValueError as error:
        raise Refused(node.place, f"`{key}` cannot be split into words: {error}.") from error
    if not words or not words[0]:
        raise Refused(node.place, f"`{key}` is empty: write a program and its arguments, or leave the key out.")
    return words


def _restart(key: str, node: Node) -> str:
    text = _text(key, node)
    if text not in get_args(Restart):
        hint = did_you_mean(text, get_args(Restart))
        raise Refused(node.place, f"`{key}` must be {listed(get_args(Restart))}, not {shown(node)}.{hint}")
    return text


def _limits(key: str, node: Node) -> dict[str, int]:
    if not isinstance(node, Fields):
        raise Refused(node.place, f"`{key}` must be a mapping, not {shown(node)}.")
    limits = {}
    for name, value in node.pairs:
        if name.text not in LIMIT_NAMES:
            hint = did_you_mean(name.text, LIMIT_NAMES) or f" The limits are {listed(LIMIT_NAMES, 'and')}."
            raise Refused(name.place, f"There is no limit {quoted(name.text)}.{hint}")
        number = value.value if isinstance(value, Scalar) else None
        if type(number) is not int or not 0 <= number <= MAX_LIMIT:
            raise Refused(value.place, f"`{name.text}` must be a whole number up to {MAX_LIMIT:,}, not {shown(value)}.")
        limits[name.text] = number
    return limits


def _ignore(key: str, node: Node) -> tuple[str, ...]:
    if not isinstance(node, Items):
        raise Refused(node.place, f"`{key}` must be a list of file names or patterns, not {shown(node)}.")
    patterns = _texts(key, node)
    for pattern, item in zip(patterns, node.items, strict=True):
        if not pattern.strip("/") or pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
            raise Refused(item.place, f"`{key}` names files of the bot's directory, not {quoted(pattern)}.")
    return patterns


_READERS: dict[str, Callable[[str, Node], object]] = {
    "name": _name,
    "command": _words,
    "build": _words,
    "language": _line,
    "author": _line,
    "version": _line,
    "restart": _restart,
    "limits": _limits,
    "ignore": _ignore,
}
