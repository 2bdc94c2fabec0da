"""Chooses the schedule for a field of entrants."""

from collections.abc import Mapping
from math import comb

from runner.game.stream import Stream
from runner.schedule.cyclic import developed, find_blocks
from runner.schedule.fixtures import Schedule
from runner.schedule.full import colex


def make_schedule(
    entrants: tuple[str, ...],
    size: int,
    replicates: int,
    stream: Stream,
    *,
    matches: int = 40,
    full_up_to: int = 150,
    teams: Mapping[str, str] | None = None,
) -> Schedule:
    """Return the schedule of `replicates` rounds of tables of `size` among `entrants`, given in order of entry.

    All tables that can be formed when that is at most `full_up_to`, else a balanced choice with about `matches` for
    each entrant, drawn from `stream`, which is used for nothing else; a full schedule draws nothing. More replicates
    leave the earlier ones as they are. With `teams` (entrant to team), members of one team never share a table. There
    must be at least `size` entrants, all different, and `size` >= 2.
    """
    count, kept_apart = len(entrants), teams or {}
    if not 2 <= size <= count or len(set(entrants)) != count:
        raise ValueError(f"no tables of {size} can be formed among {count} entrants")
    if comb(count, size) <= full_up_to:
        return Schedule("full", entrants, replicates, lambda _: colex(count, size), kept_apart)
    blocks = find_blocks(count, size, matches, stream)
    labels = [stream.shuffle(count) for _ in range(replicates)]
    return Schedule("cyclic", entrants, replicates, lambda r: developed(blocks, count, labels[r]), kept_apart)
