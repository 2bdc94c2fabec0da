"""The stored log of a game: it comes back as it was, and a damaged one is refused."""

import zlib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.record.log import GameLog, RecordError, decode_log, encode_log

bounded = settings(derandomize=True, deadline=None, max_examples=100)
ACTS = st.binary(max_size=600)
TIMES = st.lists(st.integers(0, 127) | st.integers(0, 2**40) | st.sampled_from([128, 16_383, 16_384, 2**63 - 1]))


@bounded
@given(ACTS, TIMES)
def test_round_trip(acts, times_us):
    """What is stored is what is read."""
    assert decode_log(encode_log(acts, times_us)) == GameLog(acts, tuple(times_us))
    assert encode_log(bytearray(acts), tuple(times_us)) == encode_log(acts, times_us)


def test_layout():
    """Version, number of acts, acts, times: seven bits a byte, least first."""
    assert zlib.decompress(encode_log(b"\x01\x82\x33", [5, 300, 128])) == bytes(
        [1, 3, 0x01, 0x82, 0x33, 5, 0b1010_1100, 0b10, 0b1000_0000, 1]
    )
    assert zlib.decompress(encode_log(bytes(200), [])) == bytes([1, 200 & 0x7F | 0x80, 1]) + bytes(200)


@bounded
@given(ACTS, TIMES, st.data())
def test_a_changed_byte_is_found(acts, times_us, data):
    """Any one byte of a stored log, made another, is found."""
    log = bytearray(encode_log(acts, times_us))
    place = data.draw(st.integers(0, len(log) - 1))
    log[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(RecordError, match="log"):
        decode_log(bytes(log))


@bounded
@given(ACTS, TIMES, st.data())
def test_a_cut_or_lengthened_log_is_found(acts, times_us, data):
    """Any beginning of a log is refused, as is one with something behind it."""
    log = encode_log(acts, times_us)
    for damaged in (log[: data.draw(st.integers(0, len(log) - 1))], log + data.draw(st.binary(min_size=1, max_size=9))):
        with pytest.raises(RecordError):
            decode_log(damaged)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "version nothing"),
        (b"\x02\x00", "version 2"),
        (b"\x01", "ends within a number"),
        (b"\x01\x80", "ends within a number"),
        (b"\x01\x02\x00", "ends within its acts"),
        (b"\x01\x00\x05\xff", "ends within a number"),
        (b"\x01\x00" + b"\xff" * 9 + b"\x01", "too large"),
        (b"\x01" + b"\xff" * 1_000_000, "too large"),
        (b"\x01" + b"\xff" * 8 + b"\x7f", "ends within its acts"),
        (bytes(5_000_000), "more than 4,194,304 bytes"),
    ],
)
def test_wrong_contents(raw, problem):
    """A log that is whole but says nonsense is refused with what is wrong, one made to fill the memory too."""
    with pytest.raises(RecordError, match=problem):
        decode_log(zlib.compress(raw))


@bounded
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_read(raw):
    """Whatever is stored, nothing but `RecordError` is raised."""
    for log in (raw, zlib.compress(raw), zlib.compress(b"\x01" + raw)):
        with suppress(RecordError):
            decode_log(log)


def test_the_error_is_one_for_a_person():
    """It is of the project's own, and ends the command with a wrong-usage code."""
    assert RecordError.exit_code == 2
