"""What makes foreign text safe to show."""

import pytest

from runner.text import escape


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two words", "two words"),
        ("naïve 日本 é", "naïve 日本 é"),
        ("no\u00a0break", "no\\xa0break"),
        ("wide\u3000space", "wide\\u3000space"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202eright to left", "\\u202eright to left"),
        ("half \ud800", "half \\ud800"),
        (b"\xff", "\\xff"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str | bytes, shown: str) -> None:
    """Letters of every script stay as they are; what hides, moves or looks like something else does not."""
    assert escape(text) == shown
