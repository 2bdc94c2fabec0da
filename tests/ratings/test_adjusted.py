"""The adjusted score against a dense least squares, a closed form, and what must not move it."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.ratings.adjusted import AdjustedFit
from runner.table.summary import MatchSummary

from .helpers import match, random_matches

NAMES = ("ada", "bob", "cy", "dee", "eve", "fay", "gus", "hal")


def solved(matches: list[MatchSummary], entrants=NAMES) -> dict[str, float]:
    """Return the adjusted scores, zero on average."""
    fit = AdjustedFit(entrants)
    for summary in matches:
        fit.add(summary)
    found = fit.solve()
    mean = sum(found.values()) / len(found)
    return {one: value - mean for one, value in found.items()}


def dense(matches: list[MatchSummary], entrants=NAMES) -> tuple[dict[str, float], list[float | None]]:
    """Return strengths and match effects by least squares over every faultless seat, all columns written out."""
    rows, scores = [], []
    for number, summary in enumerate(matches):
        for seat in summary.seats:
            if not seat.stand_in:
                row = [0.0] * (len(entrants) + len(matches))
                row[entrants.index(seat.entrant)] = row[len(entrants) + number] = 1.0
                rows.append(row)
                scores.append(seat.total / summary.games)
    solution = np.linalg.lstsq(np.array(rows), np.array(scores), rcond=None)[0]
    strengths = dict(zip(entrants, solution[: len(entrants)], strict=True))
    effects = [
        float(solution[len(entrants) + number]) if any(not seat.stand_in for seat in summary.seats) else None
        for number, summary in enumerate(matches)
    ]
    return strengths, effects


@settings(derandomize=True, max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(3, 7), number=st.integers(20, 60))
def test_it_is_the_dense_least_squares(seed: int, size: int, number: int) -> None:
    """Unbalanced tables without faults: entrants and match effects as columns of one large matrix give the same."""
    matches = random_matches(seed, NAMES, size, number)
    strengths, _ = dense(matches)
    mean = sum(strengths.values()) / len(strengths)
    assert solved(matches) == pytest.approx({one: value - mean for one, value in strengths.items()}, abs=1e-8)


@settings(derandomize=True, max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(3, 7))
def test_with_faults_it_is_the_mean_over_the_faultless_seats_match_effects(seed: int, size: int) -> None:
    """Each entrant's mean of score less match effect, the effects fitted to the faultless seats alone."""
    matches = random_matches(seed, NAMES, size, 60, fault_share=0.15)
    _, effects = dense(matches)
    gaps: dict[str, list[float]] = {one: [] for one in NAMES}
    for summary, effect in zip(matches, effects, strict=True):
        for seat in summary.seats if effect is not None else ():
            gaps[seat.entrant].append(seat.total / summary.games - effect)
    means = {one: sum(values) / len(values) for one, values in gaps.items()}
    middle = sum(means.values()) / len(means)
    assert solved(matches) == pytest.approx({one: value - middle for one, value in means.items()}, abs=1e-8)


@pytest.mark.parametrize(("count", "size"), [(4, 3), (6, 4), (8, 7), (5, 5)])
def test_a_balanced_schedule_has_a_closed_form(count: int, size: int) -> None:
    """Mean over an entrant's matches of (score - match mean) x k(N-1) / (N(k-1))."""
    names = NAMES[:count]
    worth = dict(zip(names, [3, -7, 11, 0, 5, 2, -9, 8], strict=False))
    matches, gaps = [], dict.fromkeys(names, 0.0)
    for number, table in enumerate(combinations(names, size)):
        totals = {one: worth[one] * size + (number * 7 + 5 * place) % 31 for place, one in enumerate(table)}
        matches.append(match(number, totals))
        mean = sum(totals.values()) / size
        for one in table:
            gaps[one] += (totals[one] - mean) / size
    factor = size * (count - 1) / (count * (size - 1)) / comb(count - 1, size - 1)
    assert solved(matches, names) == pytest.approx({one: gap * factor for one, gap in gaps.items()})


def test_the_luck_of_cards_and_of_opponents_does_not_count() -> None:
    """Scores that are exactly match effect plus strength give the strengths back, from very uneven tables."""
    worth = {"ada": 0, "bob": 4, "cy": 10, "dee": -6}
    tables = [("ada", "bob", "cy")] * 5 + [("ada", "dee", "bob"), ("cy", "dee", "bob")]
    matches = [
        match(number, {one: 3 * (worth[one] + number * number) for one in table}) for number, table in enumerate(tables)
    ]
    assert solved(matches, tuple(worth)) == pytest.approx({one: value - 2 for one, value in worth.items()})


def test_a_capped_score_moves_nobody_but_the_one_who_faulted() -> None:
    """However low the cap, the others' differences stay as they were; the offender's mean goes down."""
    rest = random_matches(3, NAMES[:4], 3, 12)
    outcomes = []
    for capped in (20, -400):
        totals = {"ada": 30, "bob": 24, "cy": capped}
        found = solved([*rest, match(99, totals, faults={"cy": ("died",)})], NAMES[:4])
        outcomes.append(found)
    high, low = outcomes
    assert high["ada"] - high["bob"] == pytest.approx(low["ada"] - low["bob"])
    assert high["ada"] - high["dee"] == pytest.approx(low["ada"] - low["dee"])
    matches = 1 + sum("cy" in {seat.entrant for seat in summary.seats} for summary in rest)
    assert (high["cy"] - high["ada"]) - (low["cy"] - low["ada"]) == pytest.approx(420 / 3 / matches)


def test_an_entrant_that_was_not_there_has_no_part() -> None:
    """A stand-in from the first card is nobody: the others are compared as if its seat were empty."""
    others = match(1, {"ada": 30, "bob": 24, "cy": 99}, absent=("cy",))
    assert solved([others], ("ada", "bob", "cy")) == pytest.approx({"ada": 1, "bob": -1})


def test_a_match_in_which_all_faulted_says_nothing() -> None:
    """Nobody gets a score from it."""
    fit = AdjustedFit(("ada", "bob", "cy"))
    fit.add(match(1, {"ada": 1, "bob": 2, "cy": 3}, faults=dict.fromkeys(("ada", "bob", "cy"), ("died",))))
    assert fit.solve() == {}


def test_groups_that_never_met_each_have_a_mean_of_their_own() -> None:
    """Between them nothing is known; within each the differences are right."""
    matches = [match(1, {"ada": 300, "bob": 294, "cy": 288}), match(2, {"dee": 9, "eve": 6, "fay": 3})]
    found = solved(matches, NAMES[:6])
    assert found == pytest.approx({"ada": 2, "bob": 0, "cy": -2, "dee": 1, "eve": 0, "fay": -1}, abs=1e-9)
