"""Turns foreign text (names, stderr, raw lines, paths) into text that is safe to show a person.

Nothing that a bot, a manifest or a file name says reaches a terminal, a log or an error message but through here:
control characters, bidirectional overrides and undecodable bytes come out as visible escapes.
"""

import re
from collections.abc import Iterable

MAX_ID_LENGTH = 40

_NOT_ID = re.compile(r"[^a-z0-9_-]+")
_SHOWN_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _shown(character: str) -> str:
    if character in _SHOWN_ESCAPES:
        return _SHOWN_ESCAPES[character]
    # Not printable: control, format (bidi overrides, zero width), surrogate, private use, unassigned; every space and
    # separator but the one that everybody knows.
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escape(text: str | bytes, limit: int | None = None) -> str:
    """Return `text` on one line with what cannot be printed escaped, cut to `limit` characters with an ellipsis."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="backslashreplace")
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    return text if text.isascii() and text.isprintable() else "".join(map(_shown, text))


def escape_lines(text: str | bytes) -> list[str]:
    """Return the lines of `text`, each escaped; the lines themselves are kept apart."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="backslashreplace")
    return [escape(line.rstrip("\r")) for line in text.split("\n")] if text else []


def quoted(text: str) -> str:
    """Return foreign `text` in backquotes, escaped and cut short, for use in a sentence."""
    return f"`{escape(text, 60)}`"


def slug(name: str) -> str:
    """Return the entrant id made from `name`: lower case, runs of anything but a-z 0-9 _ - turned into one "-".

    The result may be empty or longer than `MAX_ID_LENGTH`; who asks decides what that means.
    """
    return _NOT_ID.sub("-", name.lower()).strip("-")


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Return "1 match", "2 matches": `nouns` is the plural where adding "s" is wrong."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def listed(words: Iterable[str], last: str = "or") -> str:
    """Return "a", "a or b", "a, b or c"."""
    *head, tail = words
    return f"{', '.join(head)} {last} {tail}" if head else tail
