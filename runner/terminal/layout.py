"""Words and figures fitted into columns."""

from collections.abc import Iterator
from textwrap import wrap

WIDTH = 80  # columns that whatever is laid out here fits into


def short_time(time_us: int) -> str:
    """Return a time in at most five columns: 45µs, 3.1ms, 120ms, 1.2s, 75s."""
    if time_us < 1_000:
        return f"{time_us}µs"
    if time_us < 9_950:
        return f"{time_us / 1_000:.1f}ms"
    if time_us < 999_500:
        return f"{time_us / 1_000:.0f}ms"
    return f"{time_us / 1e6:.1f}s" if time_us < 9_950_000 else f"{time_us / 1e6:.0f}s"


def shorten(name: str, width: int) -> str:
    """Return an entrant's id in at most `width` columns; its end, which tells copies apart, is kept."""
    if len(name) <= width:
        return name
    tail = name[-(width // 3) :]
    return f"{name[: width - len(tail) - 1]}…{tail}"


def indented(text: str, indent: str, hang: str = "") -> Iterator[str]:
    """Yield the lines of a paragraph behind `indent`, all but the first behind `hang` too."""
    yield from wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent + hang)
