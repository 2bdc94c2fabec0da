"""The full round robin: every table that can be formed."""

from collections.abc import Iterator


def colex(count: int, size: int) -> Iterator[tuple[int, ...]]:
    """Yield the `size`-subsets of 0..count-1, each rising, in colexicographic order: by largest member first.

    A newcomer has the largest number, so its tables come after all that were there before.
    """
    if size == 0:
        yield ()
        return
    for last in range(size - 1, count):
        for rest in colex(last, size - 1):
            yield (*rest, last)
