"""Reads YAML strictly: bytes to a tree of nodes that know where they stand, with all that is refused on the way.

The subset is what a tournament file or a manifest needs. Scalars are read by the short rules of YAML 1.2, so `no` and
`on` are words, `012`, `1:30`, `0x10` and `2026-01-31` are text, and a plain scalar keeps its source text beside its
value: a seed is taken exactly as written. Tags, anchors, aliases, merge keys, equal keys and a second document are
problems.
"""

import math
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from runner.source.problems import START, Place, Problem, Refused
from runner.source.tree import Fields, Items, Node, Scalar
from runner.text import escape, quoted

# A field of 500 entrants written out takes about 30 KiB; what is larger was not written by a person.
MAX_BYTES = 65_536
# Deepest that a tournament file needs is 4: entrants, one entrant, its limits, a value.
MAX_DEPTH = 16

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_BOOLEANS = {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_SURROGATE = re.compile("[\ud800-\udfff]")

# PyYAML's own words for what people get wrong most, and ours.
_SYNTAX = {
    "mapping values are not allowed": "This colon does not fit here: check the indentation, or put the text in quotes.",
    "found character '\\t'": "A line is indented with a tab: use spaces.",
    "could not find expected ':'": "This line has no `key: value`: check the indentation and the colon.",
    "found unexpected end of stream": "This quote is never closed.",
    "expected <block end>": "This line does not line up with the lines it belongs to: check the indentation.",
    "expected ',' or ']'": "A comma or the closing `]` is missing here.",
    "expected ',' or '}'": "A comma or the closing `}` is missing here.",
    "expected the node content": "A value is missing here.",
    "found character '%'": "Text that begins with % has to be in quotes.",
    "found character '@'": "Text that begins with @ has to be in quotes.",
    "found character '`'": "Text that begins with a backquote has to be in quotes.",
}
# Errors whose cause stands where the thing began, not where PyYAML gave up.
_BLAME_START = ("could not find expected ':'", "found unexpected end of stream")


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not been read."""

    place: Place
    is_mapping: bool
    children: list[Node] = field(default_factory=list)


def read(path: Path, *, follow: bool = True) -> tuple[Node | None, list[Problem]]:
    """Return the tree of the one document in the file at `path` and all that is refused, as `parse` does.

    It has to be a regular file of at most `MAX_BYTES`; without `follow` a symbolic link is none.
    """
    try:
        return parse(_bytes(path, 0 if follow else os.O_NOFOLLOW))
    except Refused as refused:
        return None, [refused.problem]


def _bytes(path: Path, flags: int) -> bytes:
    # Without O_NONBLOCK a FIFO would wait here for a writer.
    flags |= os.O_NONBLOCK
    try:
        with open(path, "rb", opener=lambda name, usual: os.open(name, usual | flags)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Refused(START, "This is not a regular file.")
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise Refused(START, f"The file cannot be read: {escape(reason)}.") from error
    if len(data) > MAX_BYTES:
        raise Refused(START, f"The file is larger than {MAX_BYTES:,} bytes: make it shorter.")
    return data


def parse(data: bytes) -> tuple[Node | None, list[Problem]]:
    """Return the tree of the one document in `data` and all that is refused in it.

    The tree is None for an empty document and for one that cannot be read to its end; the latter has a problem.
    """
    problems: list[Problem] = []
    try:
        return _tree(_decoded(data), problems), problems
    except Refused as refused:
        return None, [*problems, refused.problem]


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused(START, "The file is UTF-16: save it as UTF-8.")
    if data.startswith(b"\xef\xbb\xbf"):
        raise Refused(START, "The file begins with a byte order mark: save it as UTF-8 without BOM.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        sentence = f"The byte 0x{data[error.start]:02x} is not UTF-8: save the file as UTF-8."
        raise Refused(_place_after(before), sentence) from error
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):
        sentence = f"The file has a {escape(found.group())} character here, which cannot be printed: remove it."
        raise Refused(_place_after(text[: found.start()]), sentence)
    return text


def _place_after(text: str) -> Place:
    line_start = max(text.rfind("\n"), text.rfind("\r")) + 1
    return Place(len(re.findall(r"\r\n|\r|\n", text)) + 1, len(text) - line_start + 1)


def _place(mark: Any) -> Place:
    return Place(mark.line + 1, mark.column + 1) if mark else START


def _events(text: str) -> Iterator[yaml.Event]:
    loader = yaml.SafeLoader(text)
    try:
        while loader.check_event():
            yield loader.get_event()  # type: ignore[no-untyped-call]  # the stubs of PyYAML leave it out
    except yaml.MarkedYAMLError as error:
        problem = error.problem or ""
        sentence = next((ours for theirs, ours in _SYNTAX.items() if theirs in problem), None)
        blame_start = any(each in problem for each in _BLAME_START)
        mark = (blame_start and error.context_mark) or error.problem_mark or error.context_mark
        raise Refused(_place(mark), sentence or f"This is not YAML: {escape(problem, 200)}.") from error
    except (ValueError, OverflowError) as error:
        # PyYAML lets these out for "\UFFFFFFFF" and for a %YAML version of thousands of digits.
        raise Refused(_place(loader.get_mark()), "A number or an escape here is out of range.") from error
    finally:
        loader.dispose()


def _tree(text: str, problems: list[Problem]) -> Node | None:
    root: Node | None = None
    documents = 0
    stack: list[_Open] = []
    for event in _events(text):
        place = _place(event.start_mark)
        node: Node | None = None
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                problems.append(Problem(place, "A second document begins here: a file holds one."))
                break
        elif isinstance(event, yaml.NodeEvent):
            problems += _refused(event, place)
            if isinstance(event, yaml.CollectionStartEvent):
                if len(stack) == MAX_DEPTH:
                    raise Refused(place, f"Lists and mappings are nested more than {MAX_DEPTH} deep here.")
                stack.append(_Open(place, isinstance(event, yaml.MappingStartEvent)))
            else:
                node = _scalar(event, place, problems)
        elif isinstance(event, yaml.CollectionEndEvent):
            node = _closed(stack.pop(), problems)
        if node is None:
            continue
        if stack:
            stack[-1].children.append(node)
        else:
            root = node
    return None if isinstance(root, Scalar) and root.plain and root.value is None else root


def _refused(event: yaml.NodeEvent, place: Place) -> Iterator[Problem]:
    if isinstance(event, yaml.AliasEvent):
        yield Problem(place, f"{quoted(f'*{event.anchor}')} is an alias, which is not used here: write the value out.")
    elif event.anchor is not None:
        yield Problem(place, f"{quoted(f'&{event.anchor}')} is an anchor, which is not used here: remove it.")
    elif isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        yield Problem(place, f"{quoted(tag)} is a tag, which is not used here: remove it.")


def _scalar(event: yaml.NodeEvent, place: Place, problems: list[Problem]) -> Scalar:
    if not isinstance(event, yaml.ScalarEvent):  # an alias, reported already
        return Scalar(place, None, "", plain=True)
    text = event.value
    if _SURROGATE.search(text):
        problems.append(Problem(place, "An escape here is half of a character (a surrogate): write the character."))
        text = _SURROGATE.sub("\ufffd", text)
    plain = event.style is None
    return Scalar(place, _meaning(text) if plain else text, text, plain)


def _meaning(text: str) -> str | int | float | bool | None:
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and not text.lstrip("+-").isdigit() and math.isfinite(float(text)):
        return float(text)
    return text


def _closed(ended: _Open, problems: list[Problem]) -> Node:
    if not ended.is_mapping:
        return Items(ended.place, tuple(ended.children))
    pairs: list[tuple[Scalar, Node]] = []
    seen: dict[str, Place] = {}
    for key, value in zip(ended.children[::2], ended.children[1::2], strict=True):
        if not isinstance(key, Scalar):
            problems.append(Problem(key.place, "A key has to be one word, not a list or a mapping."))
        elif key.plain and key.text == "<<":
            problems.append(Problem(key.place, "`<<` merges mappings, which is not used here: write the keys out."))
        elif key.plain and key.text == "":
            problems.append(Problem(key.place, "A key is missing before this colon."))
        elif key.text in seen:
            sentence = f"The key {quoted(key.text)} stands here a second time (first at {seen[key.text]}): remove one."
            problems.append(Problem(key.place, sentence))
        else:
            seen[key.text] = key.place
            pairs.append((key, value))
    return Fields(ended.place, tuple(pairs))
