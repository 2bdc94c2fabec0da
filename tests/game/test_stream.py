"""The construction of chance against the published vectors, and against a second, plain implementation of it."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.game.rules import RulesError
from runner.game.stream import Stream, form_seed, parse_seed

SEED = bytes(range(32))


def plain_words(seed, label):
    """The stream, read four bytes at a time, as its definition is written."""
    counter = 0
    while True:
        block = sha256(
            b"ohhell-deal-v1\0" + seed + b"\0" + label.encode() + b"\0" + counter.to_bytes(8, "big")
        ).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        counter += 1


def plain_below(words, n):
    for value in words:
        if value < (2**32 // n) * n:
            return value % n
    raise AssertionError


@pytest.mark.parametrize(
    ("label", "first"),
    [
        ("deal/0/hand/0", [32, 18, 29, 19, 15, 27, 5, 3, 30, 7, 12, 43]),
        ("deal/0/hand/1", [29, 25, 15, 22, 14, 17, 50, 20, 46, 4, 31, 49]),
        ("deal/1/hand/0", [17, 7, 5, 29, 9, 46, 50, 47, 48, 0, 6, 43]),
    ],
)
def test_published_shuffles(label, first):
    """A shuffle of 52 begins as published and has every number once."""
    order = Stream(SEED, label).shuffle(52)
    assert order[:12] == first
    assert sorted(order) == list(range(52))


@given(st.binary(min_size=32, max_size=32), st.text("abc/019é", max_size=20), st.integers(0, 100))
def test_shuffle_is_fisher_yates_over_the_plain_stream(seed, label, count):
    """Any shuffle equals the definition followed step by step."""
    words, order = plain_words(seed, label), list(range(count))
    for i in range(count - 1, 0, -1):
        j = plain_below(words, i + 1)
        order[i], order[j] = order[j], order[i]
    stream = Stream(seed, label)
    assert stream.shuffle(count) == order
    assert stream.word() == next(words)


@given(st.lists(st.integers(1, 2**32), max_size=40))
def test_below_throws_away_what_would_be_uneven(limits):
    """Numbers below any limit come from the plain stream; half of the limits near 2^31 + 1 need a second try."""
    stream, words = Stream(SEED, "x"), plain_words(SEED, "x")
    for n in [2**31 + 1, *limits]:
        assert stream.below(n) == plain_below(words, n)


def test_a_scalar_seed_is_hashed_and_guessable():
    """The published seed of the text 42."""
    seed = parse_seed("42")
    assert seed.bytes_.hex() == "7eb05d96d2cc80ea82a4209e3ad65736ef6680b126626c8b4ca82a5a4356fa51"
    assert (seed.text, seed.guessable) == ("42", True)


def test_64_hexadecimal_digits_are_the_bytes():
    """Upper case is the same seed; its text is in lower case."""
    assert parse_seed(SEED.hex().upper()) == parse_seed(SEED.hex())
    seed = parse_seed(SEED.hex())
    assert (seed.bytes_, seed.text, seed.guessable) == (SEED, SEED.hex(), False)


@pytest.mark.parametrize(
    "text", ["", "042", " 42", "42 ", "4" * 63, "4" * 65, "g" * 64, "٤" * 64, "44 " * 21 + "4", "é"]
)
def test_anything_else_is_hashed_as_written(text):
    """Nothing is trimmed, and digits of other scripts are not hexadecimal digits."""
    seed = parse_seed(text)
    assert seed.guessable
    assert seed.bytes_ == sha256(b"ohhell-seed-v1\0" + text.encode()).digest()


def test_a_seed_that_is_not_text_is_refused():
    """A lone surrogate, as from an undecodable argument, has no UTF-8."""
    with pytest.raises(RulesError, match=r"'\\udcff' is not text"):
        parse_seed("\udcff")


def test_the_seed_of_a_closed_run():
    """The published vector: seed bytes 00..1f, stage final, an empty lock, public value 12345."""
    formed = form_seed(SEED, "final", b"", "12345")
    assert formed.hex() == "e006ef2faff1253c0e23e3daee67f496489ce161c960174b6872e22e575e51c4"
