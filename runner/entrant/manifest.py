"""Finds out what a bot is: its directory, its manifest `bot.yaml` if it has one, its command and its id."""

import os
import shlex
import stat
import unicodedata
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NoReturn

import msgspec
import yaml

from runner.entrant.preflight import EntrantError, resolve_command
from runner.text import MAX_ID_LENGTH, escape, slug

__all__ = ["Bot", "EntrantError", "Manifest", "check_name", "entrant_id", "load_bot"]

MANIFEST_NAME = "bot.yaml"
# What is larger was not written by a person; what is nested deeper is not a manifest.
MAX_MANIFEST_BYTES = 65_536
MAX_DEPTH = 3
MAX_NAME_LENGTH = 40
MAX_TEXT_LENGTH = 80
# What a bot may ask for itself.
LIMIT_NAMES = ("memory_mb", "processes", "scratch_mb")

Restart = Literal["never", "match", "game"]
_RESTARTS: tuple[Restart, ...] = ("never", "match", "game")
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


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
        words = ("python3", real.name) if real.suffix == ".py" else (f"./{real.name}",)
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
        sentence = f"{escape(given, 60)!r} makes an id of {len(made)} characters, 1 to {MAX_ID_LENGTH} are allowed"
        raise EntrantError(path, f"{sentence}; rename it or give it an id")
    return made


def check_name(name: str) -> str | None:
    """Return what is wrong with a display name, None if it is 1 to 40 letters, digits, spaces and "-_." in NFC."""
    if not name.strip():
        return "the name is empty"
    if len(name) > MAX_NAME_LENGTH:
        return f"the name has {len(name):,} characters, {MAX_NAME_LENGTH} are allowed"
    # Marks belong to the letters of many scripts; a name cannot begin with one.
    refused = [c for c in name if c not in " -_." and unicodedata.category(c)[0] not in "LNM"]
    if refused or unicodedata.category(name[0])[0] == "M":
        points = " ".join(f"U+{ord(c):04X}" for c in dict.fromkeys(refused or name[0]))
        return f"the name has {points}; letters, digits, spaces and - _ . are allowed"
    if name != name.strip():
        return "the name begins or ends with a space"
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

# A value with the line it stands on, from 1.
_Node = tuple[int, "str | list[_Node] | dict[str, _Node] | None"]


def _read_manifest(directory: Path) -> Manifest:
    path = directory / MANIFEST_NAME
    if not os.path.lexists(path):
        return Manifest()
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise EntrantError(path, f"cannot be read: {escape(error.strerror or str(error))}") from error
    with open(fd, "rb") as file:  # noqa: PTH123
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise EntrantError(path, "not a regular file")
        data = file.read(MAX_MANIFEST_BYTES + 1)
    if len(data) > MAX_MANIFEST_BYTES:
        raise EntrantError(path, f"larger than {MAX_MANIFEST_BYTES:,} bytes")
    if data.startswith(b"\xef\xbb\xbf"):
        raise EntrantError(path, "begins with a byte order mark; save it as UTF-8 without BOM")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise EntrantError(path, f"line {line}: not UTF-8") from error
    return _Reader(path).manifest(_tree(path, text))


def _tree(path: Path, text: str) -> _Node:
    """Return the one document of `text` as nested nodes; refuse aliases, anchors, tags, depth and equal keys."""
    stack: list[tuple[int, list[_Node], bool]] = [(1, [], False)]
    documents = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            line = event.start_mark.line + 1 if event.start_mark else 1
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
            if documents > 1 or isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise EntrantError(path, f"line {line}: anchors, aliases and second documents are not used here")
            if getattr(event, "tag", None):
                raise EntrantError(path, f"line {line}: tags are not used here")
            if isinstance(event, yaml.ScalarEvent):
                null = event.style is None and event.value in _NULLS
                stack[-1][1].append((line, None if null else event.value))
            elif isinstance(event, yaml.CollectionStartEvent):
                if len(stack) > MAX_DEPTH:
                    raise EntrantError(path, f"line {line}: nested more than {MAX_DEPTH} deep")
                stack.append((line, [], isinstance(event, yaml.MappingStartEvent)))
            elif isinstance(event, yaml.CollectionEndEvent):
                start, children, mapping = stack.pop()
                stack[-1][1].append((start, _pairs(path, children) if mapping else children))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        reason = getattr(error, "problem", None) or str(error)
        raise EntrantError(path, f"{where}this is not YAML: {escape(reason, 120)}") from error
    except (ValueError, OverflowError) as error:
        # PyYAML lets these out for "\\UFFFFFFFF" and for a version of thousands of digits.
        raise EntrantError(path, "a number or an escape in it is out of range") from error
    return stack[0][1][0] if stack[0][1] else (1, None)


def _pairs(path: Path, children: list[_Node]) -> dict[str, _Node]:
    pairs: dict[str, _Node] = {}
    for (line, key), value in zip(children[::2], children[1::2], strict=True):
        if not isinstance(key, str):
            raise EntrantError(path, f"line {line}: a key has to be one word")
        if key in pairs:
            raise EntrantError(path, f"line {line}: the key {escape(key, 40)} stands here a second time")
        pairs[key] = value
    return pairs


class _Reader:
    """Turns nodes into a manifest; the first thing that is wrong is an `EntrantError` with its line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def manifest(self, root: _Node) -> Manifest:
        line, fields = root
        if fields is None:
            return Manifest()
        if not isinstance(fields, dict):
            self._refuse(line, "a manifest is a mapping, with lines such as `name: My bot`")
        known = Manifest.__struct_fields__
        for key, (where, _) in fields.items():
            if key not in known:
                close = get_close_matches(key.lower(), known, n=1)
                hint = f"; did you mean `{close[0]}`?" if close else f"; known are {', '.join(known)}"
                self._refuse(where, f"there is no key `{escape(key, 40)}`{hint}")
        present = {key: node for key, node in fields.items() if node[1] is not None}
        read = {
            "name": self._name,
            "command": self._words,
            "build": self._words,
            "restart": self._restart,
            "limits": self._limits,
            "ignore": self._ignore,
        }
        values = {key: read.get(key, self._text)(key, node) for key, node in present.items()}
        return msgspec.convert(values, Manifest)

    def _refuse(self, line: int, sentence: str) -> NoReturn:
        raise EntrantError(self._path, f"line {line}: {sentence}")

    def _string(self, key: str, node: _Node) -> str:
        line, value = node
        if not isinstance(value, str):
            self._refuse(line, f"`{key}` has to be text")
        if "\0" in value or any(0xD800 <= ord(c) < 0xE000 for c in value):
            self._refuse(line, f"`{key}` has a character that cannot be written")
        return value

    def _text(self, key: str, node: _Node) -> str:
        value = self._string(key, node)
        if len(value) > MAX_TEXT_LENGTH or escape(value) != value:
            self._refuse(node[0], f"`{key}` has to be one line of at most {MAX_TEXT_LENGTH} printable characters")
        return value

    def _name(self, key: str, node: _Node) -> str:
        name = unicodedata.normalize("NFC", self._string(key, node))
        if (problem := check_name(name)) is not None:
            self._refuse(node[0], problem)
        return name

    def _words(self, key: str, node: _Node) -> tuple[str, ...]:
        line, value = node
        if isinstance(value, list):
            words = tuple(self._string(key, word) for word in value)
        else:
            try:
                words = tuple(shlex.split(self._string(key, node)))
            except ValueError as error:
                self._refuse(line, f"`{key}` cannot be split into words: {escape(str(error))}")
        if not words or not words[0]:
            self._refuse(line, f"`{key}` is empty")
        return words

    def _restart(self, key: str, node: _Node) -> str:
        value = self._string(key, node)
        if value not in _RESTARTS:
            self._refuse(node[0], f"`{key}` has to be one of {', '.join(_RESTARTS)}")
        return value

    def _limits(self, key: str, node: _Node) -> dict[str, int]:
        line, value = node
        if not isinstance(value, dict):
            self._refuse(line, f"`{key}` has to be a mapping")
        limits = {}
        for name, (where, number) in value.items():
            if name not in LIMIT_NAMES:
                self._refuse(where, f"there is no limit `{escape(name, 40)}`; known are {', '.join(LIMIT_NAMES)}")
            if not isinstance(number, str) or not (number.isascii() and number.isdigit() and 0 < len(number) <= 9):
                self._refuse(where, f"`{name}` has to be a whole number")
            limits[name] = int(number)
        return limits

    def _ignore(self, key: str, node: _Node) -> tuple[str, ...]:
        line, value = node
        if not isinstance(value, list):
            self._refuse(line, f"`{key}` has to be a list of file names or patterns")
        patterns = tuple(self._string(key, pattern) for pattern in value)
        for pattern in patterns:
            if not pattern.strip("/") or pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
                self._refuse(line, f"`{key}` names files of the bot's directory, not `{escape(pattern, 40)}`")
        return patterns
