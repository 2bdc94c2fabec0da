"""Decision times: exact where short, within a thousandth where long, in bounded memory."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.ratings.times import DecisionTimes, _coarse, decision_times


def test_by_hand() -> None:
    """A hundred times 1..100 us: half are at most 50, 99 of them at most 99; entrants come sorted."""
    times = [("bob", 7), *(("ada", micros) for micros in range(100, 0, -1))]
    found = decision_times(times)
    assert found == {"ada": DecisionTimes(100, 50, 99), "bob": DecisionTimes(1, 7, 7)}
    assert list(found) == ["ada", "bob"]
    assert decision_times([]) == {}


@settings(derandomize=True, max_examples=100, deadline=None)
@given(times=st.lists(st.integers(0, 10**8), min_size=1, max_size=60))
def test_against_the_sorted_list(times: list[int]) -> None:
    """Nearest rank in the whole list, up to a thousandth below; the order of arrival has no say."""
    found = decision_times(("x", micros) for micros in times)["x"]
    ordered = sorted(times)
    for value, percent in ((found.median, 50), (found.p99, 99)):
        exact = ordered[-(-len(times) * percent // 100) - 1]
        assert exact * 0.999 <= value <= exact
        assert value == exact or exact >= 2_048
    assert decision_times(("x", micros) for micros in ordered)["x"] == found


@pytest.mark.parametrize("longest", [10**6, 10**9])
def test_memory_is_bounded(longest: int) -> None:
    """Two hundred thousand different times up to a quarter of an hour fall on a few thousand values."""
    rng = random.Random(1)
    kept = Counter(_coarse(int(longest ** rng.random())) for _ in range(200_000))
    assert len(kept) < 2_048 + 1_024 * 20
