"""Balanced schedules for many entrants: a few base blocks, shifted round the ring of entrants.

A base block is a set of `size` positions 0..N-1. Shifting it by 0..N-1 gives N tables in which every entrant sits
`size` times, and the entrants at positions x and x+d meet as often as d is a difference of two of its members. So
pairs meet evenly when the differences come evenly (cyclic difference families).
"""

from collections.abc import Iterator, Sequence

from runner.game.stream import Stream

Blocks = tuple[tuple[int, ...], ...]

STEPS = 4_000  # a try; every N <= 30 with 3..7 seats needs a few hundred
TRIES = 6
COOLING = 12  # uphill moves get 12 times as unlikely over a try, in the exponent


def differences(blocks: Sequence[Sequence[int]], count: int) -> list[int]:
    """Return how often each d = 1..count-1 is the difference, modulo `count`, of two members of a block."""
    found = [0] * count
    for block in blocks:
        for one in block:
            for other in block:
                found[(one - other) % count] += 1
    return found[1:]


def _unevenness(counts: Sequence[int]) -> int:
    return max(counts) - min(counts)


def _move(block: list[int], place: int, new: int, counts: list[int]) -> int:
    """Put `new` at `place` of `block`, bring `counts` (by d from 0) up to date; return the rise of their squares."""
    count, old, rise = len(counts), block[place], 0
    for index, other in enumerate(block):
        if index == place:
            continue
        for d, step in (
            ((old - other) % count, -1),
            ((other - old) % count, -1),
            ((new - other) % count, 1),
            ((other - new) % count, 1),
        ):
            rise += 2 * step * counts[d] + 1
            counts[d] += step
    block[place] = new
    return rise


def _anneal(count: int, size: int, number: int, stream: Stream) -> Blocks:
    """Return the most even of the blocks passed through in one try. Whole numbers only: the same on any machine."""
    blocks = [stream.shuffle(count)[:size] for _ in range(number)]
    counts = [0, *differences(blocks, count)]
    best, best_unevenness = tuple(map(tuple, blocks)), _unevenness(counts[1:])
    below = stream.below
    for step in range(STEPS):
        if best_unevenness <= 1:
            break
        block, place, new = blocks[below(number)], below(size), below(count)
        if new in block:
            continue
        old, level = block[place], 1 + step * COOLING // STEPS
        rise = _move(block, place, new, counts)
        # A rise is kept with probability 2^-(rise * level / 4), rounded to a power of two.
        if rise > 0 and below(1 << min(30, rise * level // 4)):
            _move(block, place, old, counts)
        elif _unevenness(counts[1:]) < best_unevenness:
            best, best_unevenness = tuple(map(tuple, blocks)), _unevenness(counts[1:])
    return best


def find_blocks(count: int, size: int, matches: int, stream: Stream) -> Blocks:
    """Return base blocks for `count` entrants at tables of `size`, `matches` or a little more for each.

    As few blocks as give every difference a chance and every entrant its matches, one more where that is needed to
    have the differences differ by 1 at most; where neither succeeds (large fields), the most even found.
    """
    fewest = max(-(-(count - 1) // (size * (size - 1))), -(-matches // size))
    best: Blocks = ()
    for number in (fewest, fewest + 1):
        for _ in range(TRIES):
            blocks = _anneal(count, size, number, stream)
            if not best or _unevenness(differences(blocks, count)) < _unevenness(differences(best, count)):
                best = blocks
            if _unevenness(differences(best, count)) <= 1:
                return tuple(tuple(sorted(block)) for block in best)
    return tuple(tuple(sorted(block)) for block in best)


def developed(blocks: Blocks, count: int, label: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield `blocks` shifted by 0..count-1, block by block, with position p called label[p]."""
    for block in blocks:
        for shift in range(count):
            yield tuple(label[(position + shift) % count] for position in block)
