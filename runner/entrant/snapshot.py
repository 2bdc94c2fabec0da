"""Makes the read-only copy of a bot that is run: named by the hash of what is in it, built once."""

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from runner.entrant.build import run_build
from runner.entrant.errors import EntrantError
from runner.entrant.manifest import MANIFEST_NAME, Bot
from runner.entrant.preflight import resolve_command
from runner.entrant.remove import remove_tree
from runner.text import escape

# Never part of a bot: by name, or directories known by what is in them, a virtual environment and a tournament's run.
# A bot is often tried out from within its own directory, and would be another one after every run.
_LEFT_OUT = frozenset({".git", "__pycache__"})
_LEFT_OUT_WITH = ("pyvenv.cfg", "run.sqlite")
_FORMAT = b"ohhell-bot-v1\0"
_BLOCK_BYTES = 1 << 20
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Caps:
    """How much a bot's directory may hold, links included: files in number, bytes in all, directories in each other."""

    files: int = 10_000
    total_bytes: int = 256 * 1024 * 1024
    depth: int = 64


CAPS = Caps()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A bot that can be run: the 32-byte hash of its files, the read-only copy, the argument vector to run there."""

    hash: bytes
    directory: Path
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file of a bot. `kind` is f (file), x (executable file) or l (link, relative and leading to a file inside)."""

    name: str
    path: Path
    kind: bytes
    size: int


def hash_bot(bot: Bot, caps: Caps = CAPS) -> bytes:
    """Return the hash of a bot's files, 32 bytes.

    SHA-256 over `ohhell-bot-v1\\0` and then, for every file in the order of their paths as bytes: one byte of kind
    (f, x if its owner may execute it, l for a link), the relative path and the contents (of a link its target), each of
    both after its length as 8 bytes, highest first.
    """
    return _digest(_entries(bot, caps), caps, bot.directory, into=None)


def take_snapshot(bot: Bot, into: Path, caps: Caps = CAPS) -> Snapshot:
    """Copy `bot` to `into/HASH`, build it there, make it read-only; a copy that is there already is used as it is.

    What is returned has absolute paths: the command is run in the copy, where a relative one would lead elsewhere.
    Raises `EntrantError` for files that cannot be copied, a build that fails (its log stays as `into/HASH.build.log`)
    and a command that cannot be run.
    """
    into = into.absolute()
    into.mkdir(parents=True, exist_ok=True)
    temporary = into / f".{secrets.token_hex(8)}.tmp"
    try:
        temporary.mkdir()
        digest = _digest(_entries(bot, caps), caps, bot.directory, into=temporary)
        directory = into / digest.hex()
        finished = into / f"{digest.hex()}.ok"
        if not finished.is_file() or not directory.is_dir():
            if directory.exists():  # a build that was interrupted
                remove_tree(directory)
            temporary.rename(directory)
            if bot.manifest.build is not None:
                run_build(bot.manifest.build, directory, into / f"{digest.hex()}.build.log")
            _make_read_only(directory)
            finished.touch()
        command = resolve_command(bot.command, directory)
    except EntrantError as error:
        # Found in the copy, but a person knows the bot by where it was copied from.
        raise EntrantError(bot.directory, error.sentence, error.kind) from error
    finally:
        if temporary.exists():
            remove_tree(temporary)
    return Snapshot(digest, directory, command)


def _entries(bot: Bot, caps: Caps) -> list[_Entry]:
    """Return the files of `bot` in the order of their paths as bytes."""
    if bot.source is not None:
        found = [_entry(bot.directory, bot.source)]
    else:
        found = []
        for name in _names(bot.directory, "", bot.manifest.ignore, caps.depth):
            found.append(_entry(bot.directory, name))
            if len(found) > caps.files:
                raise EntrantError(bot.directory, f"more than {caps.files:,} files; `ignore` leaves files out")
    total = sum(entry.size for entry in found)
    if total > caps.total_bytes:
        largest = max(found, key=lambda entry: entry.size)
        sentence = f"{total:,} bytes, {caps.total_bytes:,} are allowed; the largest is {escape(largest.name, 80)}"
        raise EntrantError(bot.directory, f"{sentence}; `ignore` leaves files out")
    return sorted(found, key=lambda entry: os.fsencode(entry.name))


def _names(root: Path, below: str, ignore: tuple[str, ...], depth: int) -> Iterator[str]:
    if depth < 0:
        raise EntrantError(root, f"directories too deep in each other: {escape(below, 80)}; `ignore` leaves them out")
    try:
        with os.scandir(root / below) as listing:
            children = list(listing)
    except OSError as error:
        raise EntrantError(root, f"cannot be read: {escape(below or '.', 80)} ({error.strerror})") from error
    for child in children:
        name = f"{below}/{child.name}" if below else child.name
        if child.name in _LEFT_OUT or (name != MANIFEST_NAME and _ignored(name, ignore)):
            continue
        if not child.is_dir(follow_symlinks=False):
            yield name
        elif not any(os.path.lexists(Path(child.path, mark)) for mark in _LEFT_OUT_WITH):
            yield from _names(root, name, ignore, depth - 1)


def _ignored(name: str, patterns: tuple[str, ...]) -> bool:
    last = name.rpartition("/")[2]
    return any(
        fnmatchcase(name if "/" in pattern.rstrip("/") else last, pattern.removeprefix("./").rstrip("/"))
        for pattern in patterns
    )


def _entry(root: Path, name: str) -> _Entry:
    path = root / name
    try:
        status = path.lstat()
    except OSError as error:  # it was there a moment ago
        raise EntrantError(root, f"cannot be read: {escape(name, 80)} ({error.strerror})") from error
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return _Entry(name, path, b"x" if mode & stat.S_IXUSR else b"f", status.st_size)
    if not stat.S_ISLNK(mode):
        raise EntrantError(root, f"neither a file nor a directory: {escape(name, 80)}")
    target = Path(os.path.realpath(path))
    inside = target.exists() and target.is_relative_to(os.path.realpath(root))
    if not inside or Path(os.readlink(path)).is_absolute():  # noqa: PTH115 — as in _digest
        raise EntrantError(root, f"a link that does not lead to a file inside by a relative path: {escape(name, 80)}")
    return _Entry(name, path, b"l", status.st_size)


def _digest(entries: list[_Entry], caps: Caps, root: Path, into: Path | None) -> bytes:
    """Return the hash of `entries`; with `into` they are copied there as they are read."""
    digest = hashlib.sha256(_FORMAT)
    left = caps.total_bytes
    for entry in entries:
        name = os.fsencode(entry.name)
        copy = into / entry.name if into is not None else None
        if copy is not None:
            copy.parent.mkdir(parents=True, exist_ok=True)
        digest.update(entry.kind + len(name).to_bytes(8, "big") + name)
        try:
            if entry.kind == b"l":
                target = os.readlink(entry.path)  # noqa: PTH115 — the text as it stands, not a Path's idea of it
                digest.update(len(os.fsencode(target)).to_bytes(8, "big") + os.fsencode(target))
                if copy is not None:
                    copy.symlink_to(target)
            else:
                left -= _digest_file(digest, entry, root, left, copy)
        except OSError as error:
            if copy is not None and (error.filename == str(copy) or error.errno in _NO_SPACE):
                raise  # ours, not the bot's
            raise EntrantError(root, f"cannot be read: {escape(entry.name, 80)} ({error.strerror})") from error
    return digest.digest()


def _digest_file(digest: "hashlib._Hash", entry: _Entry, root: Path, most: int, copy: Path | None) -> int:
    """Add one file to `digest` and write it to `copy`; return its size. What was a file may be none by now."""
    fd = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb") as source:  # noqa: PTH123 — a descriptor, not a path
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            raise EntrantError(root, f"changed while it was read: {escape(entry.name, 80)}")
        digest.update(status.st_size.to_bytes(8, "big"))
        size = 0
        with (copy or Path(os.devnull)).open("wb") as sink:
            while block := source.read(_BLOCK_BYTES):
                size += len(block)
                if size > status.st_size:
                    break
                digest.update(block)
                sink.write(block)
        if size != status.st_size:
            raise EntrantError(root, f"changed while it was read: {escape(entry.name, 80)}")
    if copy is not None:
        copy.chmod(0o755 if entry.kind == b"x" else 0o644)
    return size


def _make_read_only(directory: Path) -> None:
    for parent, _, files in os.walk(directory, topdown=False):
        for name in files:
            path = Path(parent, name)
            if not path.is_symlink():
                path.chmod(0o555 if path.stat().st_mode & stat.S_IXUSR else 0o444)
        Path(parent).chmod(0o555)
