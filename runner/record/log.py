"""The log of one game: every act and the time of every decision, in about a kilobyte.

Layout, before zlib: version (1 byte), number of acts (varint), the acts (a byte each, see `runner.referee`), then for
every decision a varint of the charged microseconds. Which acts were asked for follows from the rules, so it is not
stored. A varint has seven bits a byte, least first, the high bit set on all but its last byte.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from runner.errors import OhHellError

_VERSION = 1
_MORE = 0x80  # set in every byte of a varint but its last
_ZLIB_LEVEL = 6
# Far above the longest game that the rules allow, 1,000 hands: a log made to fill the memory is refused instead.
_MAX_BYTES = 1 << 22
_MAX_BITS = 63  # of a varint: what a database can hold


class RecordError(OhHellError):
    """A stored log that cannot be read, or that does not fit the rules."""


@dataclass(frozen=True, slots=True)
class GameLog:
    """One game as played: `acts` in order, `times_us[d]` the time charged for decision d in microseconds."""

    acts: bytes
    times_us: tuple[int, ...]


def encode_log(acts: bytes | bytearray, times_us: Sequence[int]) -> bytes:
    """Return the stored form of a game."""
    raw = bytearray([_VERSION])
    _append_varint(raw, len(acts))
    raw += acts
    for time_us in times_us:
        if time_us < _MORE:  # by far the most, where bots are fast and time is dear
            raw.append(time_us)
        else:
            _append_varint(raw, time_us)
    return zlib.compress(raw, _ZLIB_LEVEL)


def decode_log(log: bytes) -> GameLog:
    """Return the game that `log` stores; raises `RecordError` if it is damaged or of a newer version."""
    raw = _decompress(log)
    if not raw or raw[0] != _VERSION:
        raise RecordError(f"a game's log has version {raw[0] if raw else 'nothing'}; this runner reads {_VERSION}")
    numbers = _Varints(raw, 1)
    count = numbers.read()
    acts = raw[numbers.position : numbers.position + count]
    if len(acts) != count:
        raise RecordError("a game's log ends within its acts")
    numbers.position += count
    times_us = []
    while numbers.position < len(raw):
        times_us.append(numbers.read())
    return GameLog(acts, tuple(times_us))


def _decompress(log: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(log, _MAX_BYTES)
    except zlib.error as error:
        raise RecordError(f"a game's log is damaged: {error}") from None
    if not unpacker.eof:
        raise RecordError(f"a game's log is damaged: it is cut short or has more than {_MAX_BYTES:,} bytes")
    if unpacker.unused_data:
        raise RecordError("a game's log is damaged: bytes follow its end")
    return raw


def _append_varint(raw: bytearray, value: int) -> None:
    while value >= _MORE:
        raw.append(value & 0x7F | _MORE)
        value >>= 7
    raw.append(value)


@dataclass(slots=True)
class _Varints:
    raw: bytes
    position: int

    def read(self) -> int:
        value = shift = 0
        while True:
            if self.position >= len(self.raw):
                raise RecordError("a game's log ends within a number")
            byte = self.raw[self.position]
            self.position += 1
            value |= (byte & 0x7F) << shift
            if byte < _MORE:
                return value
            shift += 7
            if shift >= _MAX_BITS:
                raise RecordError("a game's log has a number that is too large")
