"""The hint that goes with a misspelt word."""

import pytest

from runner.errors import did_you_mean


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("tabel", " Did you mean `table`?"),
        ("TABLE", " Did you mean `table`?"),
        ("my-bot", " Did you mean `My Bot`?"),
        ("change-bid", " Did you mean `change_bid`?"),
        ("colour", ""),
        ("", ""),
        (7, ""),
    ],
)
def test_the_closest_known_word_is_offered(word: object, hint: str) -> None:
    """Case is no difference, the word is shown as it is known, and nothing is said where nothing is close."""
    assert did_you_mean(word, ("table", "tables", "My Bot", "change_bid")) == hint
