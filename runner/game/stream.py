"""Chance that anyone can work out again: a stream of bytes from a seed and a label, by SHA-256.

Block number c of a stream is SHA-256("ohhell-deal-v1" 00 seed 00 label 00 c), c in 8 bytes, big endian, from 0.
Everything here is part of the documented construction: a change makes every published deal another deal.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct

from runner.game.rules import RulesError

SEED_BYTES = 32

_WORDS = 1 << 32
_split = Struct(">8I").unpack
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class Seed:
    """A run's seed: its 32 bytes, the text that gives them again, and whether a bot could find it by trial."""

    bytes_: bytes
    text: str
    guessable: bool


def _utf8(text: str, key: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise RulesError([(key, f"The {key} {text!a} is not text that can be written in UTF-8.")]) from error


def parse_seed(text: str) -> Seed:
    """Return the seed that `text`, exactly as written, stands for.

    64 hexadecimal digits are the 32 bytes themselves. Any other text is hashed and is guessable: for practice only.
    Raises `RulesError` for text with lone surrogates.
    """
    if _HEXADECIMAL.fullmatch(text):
        return Seed(bytes.fromhex(text), text.lower(), guessable=False)
    return Seed(sha256(b"ohhell-seed-v1\0" + _utf8(text, "seed")).digest(), text, guessable=True)


def form_seed(organiser_seed: bytes, stage: str, lock: bytes, public_value: str) -> bytes:
    """Return the seed (32 bytes) of a closed run, fixed by nobody alone.

    `organiser_seed` is the 32 bytes committed to before entries opened, `lock` the bytes of `entries.lock`,
    `public_value` the text that did not exist when the commitment was published.
    """
    parts = (
        b"ohhell-run-v1",
        organiser_seed,
        _utf8(stage, "name"),
        sha256(lock).digest(),
        _utf8(public_value, "public value"),
    )
    return sha256(b"\0".join(parts)).digest()


class Stream:
    """The endless bytes of one seed (32 bytes) under one label, read from the start."""

    __slots__ = ("_counter", "_prefix", "_words")

    def __init__(self, seed: bytes, label: str) -> None:
        self._prefix = sha256(b"\0".join((b"ohhell-deal-v1", seed, label.encode(), b"")))
        self._counter = 0
        self._words: list[int] = []  # of the current block, the next one last

    def word(self) -> int:
        """Return the next 4 bytes as a number, the highest byte first."""
        if not self._words:
            self._fill()
        return self._words.pop()

    def _fill(self) -> None:
        block = self._prefix.copy()
        block.update(self._counter.to_bytes(8, "big"))
        self._counter += 1
        self._words.extend(reversed(_split(block.digest())))

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1, each equally likely: a word a try, what would be uneven is thrown away."""
        limit = _WORDS - _WORDS % n
        while (value := self.word()) >= limit:
            pass
        return value % n

    def shuffle(self, count: int) -> list[int]:
        """Return 0 … count - 1 in random order (Fisher and Yates, from the end)."""
        order, words = list(range(count)), self._words
        for n in range(count, 1, -1):
            # `below`, written out: a match shuffles some twenty packs, and this halves the time.
            limit = _WORDS - _WORDS % n
            while True:
                if not words:
                    self._fill()
                if (value := words.pop()) < limit:
                    break
            i, j = n - 1, value % n
            order[i], order[j] = order[j], order[i]
        return order
