"""The root of every error that is ours to report: one sentence for a person, one exit code; and a hint for it."""

from collections.abc import Iterable
from difflib import get_close_matches


class OhHellError(Exception):
    """Something a person has to put right; the message says what, where and what to do.

    Every error the runner raises on purpose derives from this one, and the command line prints its message
    without a traceback. Any other exception that reaches the command line is a bug of ours.
    """

    exit_code = 2


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return " Did you mean `x`?" for the known word closest to `word` in any case, or nothing if none is close."""
    by_lower_case = {each.lower(): each for each in known}
    close = get_close_matches(str(word).lower(), by_lower_case, n=1)
    return f" Did you mean `{by_lower_case[close[0]]}`?" if close else ""
