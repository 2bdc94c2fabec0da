"""The schedule: which tables meet, in which order, how evenly, and what their deals are called."""

import hashlib
from collections import Counter
from itertools import combinations, islice
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.game.stream import Stream
from runner.schedule.cyclic import developed, differences, find_blocks
from runner.schedule.fixtures import Balance, Schedule, table_name
from runner.schedule.full import colex
from runner.schedule.make import make_schedule

LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")


class NoDraw(Stream):
    def _fill(self) -> None:
        raise AssertionError("a full schedule draws nothing")


no_draw = NoDraw(bytes(32), "schedule")


def seeded(seed: int = 1) -> Stream:
    return Stream(bytes([seed] * 32), "schedule")


def balance(tables, entrants) -> Balance:
    """Count, the plain way, tables per entrant and meetings per pair."""
    seats = Counter(one for table in tables for one in table)
    pairs = Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))
    sat = [seats[one] for one in entrants]
    met = [pairs[frozenset(pair)] for pair in combinations(entrants, 2)]
    return Balance(min(sat), max(sat), min(met), max(met))


def test_tables_come_in_colexicographic_order() -> None:
    """Four entrants at tables of three: the one without the newcomer comes first."""
    schedule = make_schedule(("d", "a", "c", "b"), 3, 1, no_draw)
    assert [fixture.table for fixture in schedule] == [
        ("d", "a", "c"),
        ("d", "a", "b"),
        ("d", "c", "b"),
        ("a", "c", "b"),
    ]


@settings(derandomize=True, max_examples=40, deadline=None)
@given(count=st.integers(1, 9), size=st.integers(0, 7))
def test_colex_is_the_order_of_reversed_subsets(count: int, size: int) -> None:
    """All subsets, sorted by their members from the largest down."""
    expected = sorted(combinations(range(count), size), key=lambda subset: subset[::-1])
    assert list(colex(count, size)) == expected


def test_deal_names_hash_the_sorted_ids() -> None:
    """TABLE is the first 16 digits of SHA-256 of the sorted ids joined by newlines; n counts the replicates."""
    expected = hashlib.sha256(b"alpha\nbeta\ngamma").hexdigest()[:16]
    schedule = make_schedule(("gamma", "alpha", "beta"), 3, 3, no_draw)
    assert [fixture.deal for fixture in schedule] == [f"{expected}.0", f"{expected}.1", f"{expected}.2"]
    assert table_name(["beta", "gamma", "alpha"]) == expected


def test_a_newcomer_leaves_every_deal_as_it_was() -> None:
    """Within a replicate the tables of the first five come first, in the same order and on the same deals."""
    before = list(make_schedule(LETTERS[:5], 3, 1, no_draw))
    after = list(make_schedule(LETTERS[:6], 3, 1, no_draw))
    assert after[: len(before)] == before
    assert all("f" in fixture.table for fixture in after[len(before) :])


@pytest.mark.parametrize(("count", "size"), [(3, 3), (6, 3), (8, 4), (9, 7)])
def test_full_balance_is_what_counting_gives(count: int, size: int) -> None:
    """Every pair meets C(N-2, k-2) times; length and figures agree with the tables themselves."""
    entrants = LETTERS[:count]
    schedule = make_schedule(entrants, size, 1, no_draw)
    tables = [fixture.table for fixture in schedule]
    assert len(schedule) == len(tables) == comb(count, size)
    met, sat = comb(count - 2, size - 2), comb(count - 1, size - 1)
    assert schedule.balance == balance(tables, entrants) == Balance(sat, sat, met, met)


def test_a_long_schedule_is_not_held_in_memory() -> None:
    """Two million matches have a length and a beginning at once."""
    schedule = make_schedule(LETTERS, 4, 140, no_draw, full_up_to=20_000)
    assert len(schedule) == 14_950 * 140
    assert len(list(islice(schedule, 20_000))) == 20_000


def test_members_of_a_team_never_share_a_table() -> None:
    """With teams the tables that remain are those without a pair of one team, and the figures say so."""
    teams = {"a": "red", "b": "red", "c": "blue", "d": "blue"}
    entrants = LETTERS[:6]
    schedule = make_schedule(entrants, 3, 2, no_draw, teams=teams)
    tables = [fixture.table for fixture in schedule]
    assert len(schedule) == len(tables)
    assert not any({"a", "b"} <= set(table) or {"c", "d"} <= set(table) for table in tables)
    assert len(tables) == 2 * (20 - 8)
    pairs = Counter(pair for table in tables for pair in combinations(table, 2))
    # Of the 10 pairs of others, a member of a team loses 4 with its mate and 1 of the other team, a free one loses 2.
    assert schedule.balance == Balance(2 * 5, 2 * 8, min(pairs.values()), max(pairs.values()))


@pytest.mark.parametrize(
    ("count", "blocks", "meetings"),
    [
        (7, [(0, 1, 3)], 1),
        (13, [(0, 1, 3, 9)], 1),
        (21, [(0, 1, 4, 14, 16)], 1),
        (11, [(0, 2, 3, 4, 8)], 2),
        (13, [(0, 1, 4), (0, 2, 7)], 1),
    ],
)
def test_perfect_blocks(count: int, blocks: list[tuple[int, ...]], meetings: int) -> None:
    """Known difference families: every difference, hence every pair, comes equally often."""
    assert differences(blocks, count) == [meetings] * (count - 1)
    tables = list(developed(tuple(blocks), count, range(count)))
    assert balance(tables, range(count))[2:] == (meetings, meetings)
    assert len(tables) == count * len(blocks)


@pytest.mark.parametrize(("count", "size"), [(7, 3), (13, 3), (13, 4), (21, 5), (11, 5)])
def test_the_search_finds_perfect_blocks(count: int, size: int) -> None:
    """Where a perfect family of the fewest blocks exists, the search gets within 1 of it."""
    blocks = find_blocks(count, size, 1, seeded())
    assert max(differences(blocks, count)) - min(differences(blocks, count)) <= 1


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("matches", [1, 40])
def test_every_field_up_to_thirty_is_even(size: int, matches: int) -> None:
    """Differences differ by 1 at most with no more than one block above the fewest, and everybody has its matches."""
    for count in range(size + 1, 31):
        if matches > 1 and comb(count, size) <= 150:
            continue  # never asked for, and some (6 entrants, 3 seats) cannot be had: 14 or 15 blocks miss by parity
        blocks = find_blocks(count, size, matches, seeded(count))
        counts = differences(blocks, count)
        assert max(counts) - min(counts) <= 1, (count, size)
        fewest = max(-(-(count - 1) // (size * (size - 1))), -(-matches // size))
        assert len(blocks) - fewest in {0, 1}
        assert all(len(set(block)) == size for block in blocks)


def cyclic(replicates: int, teams: dict[str, str] | None = None, seed: int = 1) -> Schedule:
    return make_schedule(LETTERS[:20], 4, replicates, seeded(seed), teams=teams)


def test_a_large_field_gets_a_balanced_choice() -> None:
    """Everybody sits at 40 tables a replicate and pairs meet within 1 of each other, as counted plainly."""
    schedule = cyclic(2)
    tables = [fixture.table for fixture in schedule]
    assert schedule.kind == "cyclic"
    assert len(tables) == len(schedule) == 2 * 200
    for half in (tables[:200], tables[200:]):
        assert balance(half, LETTERS[:20]) == Balance(40, 40, 6, 7)
    assert schedule.balance == balance(tables, LETTERS[:20])
    assert tables[:200] != tables[200:]
    assert all(list(table) == sorted(table) for table in tables)


def test_more_replicates_keep_the_earlier_ones() -> None:
    """The same stream gives the same schedule, and a longer one begins with the shorter."""
    assert list(cyclic(3))[:200] == list(cyclic(1))
    assert list(cyclic(2)) == list(cyclic(2))
    assert list(cyclic(1)) != list(cyclic(1, seed=2))


def test_a_schedule_can_be_iterated_again() -> None:
    """A second pass gives the same fixtures, with no deal twice."""
    schedule = cyclic(3)
    assert list(schedule) == list(schedule)
    assert len({fixture.deal for fixture in schedule}) == len(schedule)


def test_teams_thin_a_cyclic_schedule_and_the_figures_tell() -> None:
    """No two of a team meet; tables per entrant differ then, over all replicates."""
    teams = dict.fromkeys("abcde", "red")
    schedule = cyclic(2, teams)
    tables = [fixture.table for fixture in schedule]
    assert len(schedule) == len(tables) < 400
    assert not any(len(set(table) & set("abcde")) > 1 for table in tables)
    assert schedule.balance.least_tables < schedule.balance.most_tables <= 80


@pytest.mark.parametrize(("entrants", "size"), [(("a", "b"), 3), (("a", "b", "a"), 3), (("a", "b"), 1)])
def test_a_table_that_cannot_be_formed_is_refused(entrants: tuple[str, ...], size: int) -> None:
    """Too few entrants, doubled ones, or tables of one are the caller's error."""
    with pytest.raises(ValueError, match="no tables of"):
        make_schedule(entrants, size, 1, no_draw)
