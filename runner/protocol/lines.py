"""Messages to bytes and bytes to replies. What a bot sent wrongly comes back as a `Fault`, never as an exception.

The runner's lines are compact ASCII with their keys in the documented order. A reply in the usual layout is read
by one expression; any other line goes through the strict parser, which says what is wrong with it.

What is read is a line without its line end, or, if more came with it, all there was from the line on. The line is
judged first: how a bot's output happens to be cut into reads does not turn a banner into a reply with something behind.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from runner.game.cards import PACK, Card
from runner.protocol.faults import Fault
from runner.protocol.messages import EVENT_NAMES, MAX_NOTE_CHARACTERS, PROTOCOL_VERSION, EventName, Message
from runner.text import escape, plural

MAX_LINE_BYTES = 65_536  # either way, line feed included: one pipe's buffer, so a whole line never blocks a writer
MAX_DEPTH = 32  # of brackets; an own cap, since that of the json module differs between Python versions
MAX_DIGITS = 20  # of a number; no field of the protocol has more, and int() of a long one is slow
_QUOTED = 60  # characters of an offending value are quoted in a fault's detail

_encode = msgspec.json.Encoder().encode


class ReplyProblem(Exception):
    """Raised inside this module only: a line that is not what it should be."""


class Reply(NamedTuple):
    """A legal answer: a bid or a card, whether it is the last word, and the bot's note (cut to its limit, "" if none).

    `note_cut` is the number of characters dropped from the note.
    """

    value: Any  # an int for a bid, a Card for a card
    final: bool = True
    note: str = ""
    note_cut: int = 0


class Readiness(NamedTuple):
    """What a bot said in `ready`: the events that it wants."""

    events: frozenset[EventName]


def encode_line(message: Message) -> bytes:
    """Return the message as one ASCII line with its line feed."""
    line = _encode(message)
    if not line.isascii():
        line = json.dumps(json.loads(line), separators=(",", ":")).encode("ascii")
    return line + b"\n"


# The usual layouts, as json.dumps, JSON.stringify and printf write them. Ids have at most 16 digits (2^53), so a longer
# number is none, and int() refuses one of thousands.
_BID_REPLY = re.compile(rb'\{"id": ?([1-9][0-9]{0,15}), ?"bid": ?(0|[1-9][0-9]?)\}').fullmatch
_PLAY_REPLY = re.compile(rb'\{"id": ?([1-9][0-9]{0,15}), ?"card": ?"([2-9TJQKA][CDHS])"\}').fullmatch
# Answers in the usual layout are of few kinds, so each is made once.
_BIDS = {b"%d" % bid: Reply(bid) for bid in range(100)}
_CARDS = {card.encode(): Reply(card) for card in PACK}


def read_bid(line: bytes, request_id: int, legal: Sequence[int] | Sequence[Card]) -> Reply | Fault:
    """Return the bid that `line` answers to request `request_id`, or the fault that it is."""
    match = _BID_REPLY(line)
    if match is not None:
        echoed, bid = match.groups()
        reply = _BIDS[bid]
        if int(echoed) == request_id and reply.value in legal:
            return reply
    return _read_strictly(line, request_id, "bid", legal)


def read_card(line: bytes, request_id: int, legal: Sequence[int] | Sequence[Card]) -> Reply | Fault:
    """Return the card that `line` answers to request `request_id`, or the fault that it is."""
    match = _PLAY_REPLY(line)
    if match is not None:
        echoed, card = match.groups()
        reply = _CARDS[card]
        if int(echoed) == request_id and reply.value in legal:
            return reply
    return _read_strictly(line, request_id, "card", legal)


def read_ready(line: bytes) -> Readiness | Fault:
    """Return what the bot said in `ready`, or the fault that the line is."""
    line, behind = _first_line(line)
    try:
        message = _parse_object(line)
        if message.get("type") != "ready":
            raise ReplyProblem(f'expected {{"type":"ready","protocol":{PROTOCOL_VERSION}}}, got {_quote_bytes(line)}')
        if type(message.get("protocol")) is not int or message["protocol"] != PROTOCOL_VERSION:
            raise ReplyProblem(f"ready must have protocol {PROTOCOL_VERSION}, not {_quote(message.get('protocol'))}")
        ready = Readiness(_events(message.get("events", [])))
    except ReplyProblem as problem:
        hint = "" if line.lstrip().startswith(b"{") else "; print anything but replies to stderr"
        return Fault("garbage", f"in place of ready: {problem}{hint}", line)
    return _unasked(behind) if behind else ready


def _events(names: object) -> frozenset[EventName]:
    if not isinstance(names, list):
        raise ReplyProblem(f"events must be a list, not {_quote(names)}")
    for name in names:
        if name not in EVENT_NAMES:
            raise ReplyProblem(f"there is no event {_quote(name)}; the events are {', '.join(EVENT_NAMES)}")
    return frozenset(names)


def _read_strictly(line: bytes, request_id: int, key: str, legal: Sequence[int] | Sequence[Card]) -> Reply | Fault:
    line, behind = _first_line(line)
    try:
        message = _parse_object(line)
        if "id" not in message:
            raise ReplyProblem("reply without id")
        if type(message["id"]) is not int:
            raise ReplyProblem(f"id must be a whole number, not {_quote(message['id'])}")
        if message["id"] != request_id:
            return Fault("unasked", f"reply to request {message['id']}, expected {request_id}", line)
        if key not in message:
            raise ReplyProblem(f"reply without {key}")
        final, note = message.get("final", True) if key == "bid" else True, message.get("note", "")
        if type(final) is not bool:
            raise ReplyProblem(f"final must be true or false, not {_quote(final)}")
        if type(note) is not str:
            raise ReplyProblem(f"note must be a text, not {_quote(note)}")
    except ReplyProblem as problem:
        return Fault("garbage", str(problem), line)
    value = message[key]
    # `True in [1]` and `2.0 in [2]` hold in Python: the type is compared before the value.
    if type(value) is not type(legal[0]) or value not in legal:
        return Fault("illegal", f"{key} {_quote(value)} is not one of {' '.join(map(str, legal))}", line)
    if behind:
        return _unasked(behind)
    return Reply(value, final, note[:MAX_NOTE_CHARACTERS], max(0, len(note) - MAX_NOTE_CHARACTERS))


def _first_line(data: bytes) -> tuple[bytes, bytes]:
    """Return the line that `data` is or begins with, without its line end, and what is behind that."""
    line, line_feed, behind = data.partition(b"\n")
    return (line.removesuffix(b"\r") if line_feed else line), behind


def _unasked(behind: bytes) -> Fault:
    detail = f"{plural(len(behind), 'byte')} after the reply, starting `{escape(behind[:40])}`"
    return Fault("unasked", detail, behind)


# Also a text without its end: were it no match, the search would begin anew at every escaped quote in it.
_STRINGS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?')
_UNSAFE = re.compile("[\0\ud800-\udfff]")
_OPENING, _CLOSING = frozenset("[{"), frozenset("]}")


def _parse_object(line: bytes) -> dict[str, Any]:
    """Return the JSON object that `line` is, or raise `ReplyProblem` with what it is instead."""
    if not line.strip():
        raise ReplyProblem("blank line")
    if line.startswith(b"\xef\xbb\xbf"):
        raise ReplyProblem("line starts with a byte order mark")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReplyProblem(f"not UTF-8: byte {line[error.start]:#04x} at position {error.start}") from None
    _check_depth(text)
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_int=_whole, parse_float=_no_whole, parse_constant=_no_constant
        )
    except json.JSONDecodeError as error:
        raise ReplyProblem(f"not one JSON object: {error.msg} at character {error.pos}: {_quote_bytes(line)}") from None
    if not isinstance(value, dict):
        raise ReplyProblem(f"not an object: {_quote_bytes(line)}")
    if "\\u" in text:  # json refuses a plain NUL and UTF-8 a plain surrogate: only an escape can make either
        _check_texts(value)
    return value


def _check_depth(text: str) -> None:
    depth = 0
    for character in _STRINGS.sub("", text):
        if character in _OPENING:
            depth += 1
            if depth > MAX_DEPTH:
                raise ReplyProblem(f"brackets nested deeper than {MAX_DEPTH}")
        elif character in _CLOSING:
            depth -= 1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise ReplyProblem(f"key {_quote(key)} stands twice")
        value[key] = item
    return value


def _check_texts(value: object) -> None:
    """Refuse what JSON allows in a text but breaks whoever reads it later; depth is bounded by `MAX_DEPTH`."""
    if isinstance(value, dict):
        for key, item in value.items():
            _check_text(key)
            _check_texts(item)
    elif isinstance(value, list):
        for item in value:
            _check_texts(item)
    elif isinstance(value, str):
        _check_text(value)


def _check_text(text: str) -> None:
    if unsafe := _UNSAFE.search(text):
        raise ReplyProblem("a text contains NUL" if unsafe[0] == "\0" else "a text contains a lone surrogate")


class _NoWhole(str):
    """A number with a point, an exponent or a useless sign, as it stood in the line; never equal to a legal answer."""


def _whole(digits: str) -> "int | _NoWhole":
    if len(digits) > MAX_DIGITS:
        raise ReplyProblem(f"a number has more than {MAX_DIGITS} digits")
    return _NoWhole(digits) if digits == "-0" else int(digits)


def _no_whole(digits: str) -> _NoWhole:
    return _NoWhole(digits[:MAX_DIGITS])


def _no_constant(name: str) -> None:
    raise ReplyProblem(f"{name} is not JSON")


def _quote(value: object) -> str:
    if isinstance(value, _NoWhole):
        return str(value)
    return escape(json.dumps(value, ensure_ascii=False), _QUOTED)


def _quote_bytes(line: bytes) -> str:
    return escape(line[: 4 * _QUOTED], _QUOTED)
