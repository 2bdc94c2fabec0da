"""The TrueSkill wrapper against published values and formulas written down independently."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.ratings.trueskill_model import DRAW_PROBABILITY, MU, SIGMA, Player, Rating, TrueSkillModel, trueskill

# From moserware/Skills' calculator tests: draw probability 0.10, tau 25/300, players of mu 25 and sigma 25/3.
TWO = [(29.39583, 7.17148), (20.60417, 7.17148)]
THREE = [(31.67535, 6.65599), (25, 6.20790), (18.32465, 6.65599)]
FOUR = [(33.20668, 6.34811), (27.40145, 5.78716), (22.59855, 5.78716), (16.79332, 6.34811)]
FIVE = [(34.36314, 6.13615), (29.05845, 5.53584), (25, 5.42008), (20.94155, 5.53584), (15.63686, 6.13615)]
TOLERANCE = 0.085


@pytest.fixture(scope="module")
def published() -> TrueSkillModel:
    return TrueSkillModel(tau=25 / 300, draw_probability=0.10)


@pytest.mark.parametrize("expected", [TWO, THREE, FOUR, FIVE])
def test_published_values_without_ties(published: TrueSkillModel, expected: list[tuple[float, float]]) -> None:
    """Two to five new players, one after the other."""
    rated = published.rate([Player(str(place), Rating(), place) for place in range(len(expected))])
    for place, (mu, sigma) in enumerate(expected):
        assert rated[str(place)].mu == pytest.approx(mu, abs=TOLERANCE)
        assert rated[str(place)].sigma == pytest.approx(sigma, abs=TOLERANCE)


def test_the_published_draw_of_unequal_players(published: TrueSkillModel) -> None:
    """(25, 8.333) against (50, 12.5)."""
    rated = published.rate([Player("a", Rating(25, 25 / 3), 1), Player("b", Rating(50, 12.5), 1)])
    assert rated["a"] == pytest.approx((31.662, 7.137), abs=TOLERANCE)
    assert rated["b"] == pytest.approx((35.010, 7.910), abs=TOLERANCE)


def cdf(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def pdf(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def inverse_cdf(p: float) -> float:
    """By halving, so that it shares nothing with the library's."""
    low, high = -10.0, 10.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if cdf(middle) < p else (low, middle)
    return low


def closed_form(better: Rating, worse: Rating, *, draw: bool) -> tuple[Rating, Rating]:
    """Herbrich, Minka, Graepel (2006): the two player update is exact, with v and w for a win or a draw."""
    beta, tau = 25 / 6, 0.0
    one, two = better.sigma**2 + tau**2, worse.sigma**2 + tau**2
    c = math.sqrt(2 * beta**2 + one + two)
    t = (better.mu - worse.mu) / c
    e = inverse_cdf((DRAW_PROBABILITY + 1) / 2) * math.sqrt(2) * beta / c
    if draw:
        mass = cdf(e - t) - cdf(-e - t)
        v = (pdf(-e - t) - pdf(e - t)) / mass
        w = v * v + ((e - t) * pdf(e - t) + (e + t) * pdf(e + t)) / mass
    else:
        v = pdf(t - e) / cdf(t - e)
        w = v * (v + t - e)
    return (
        Rating(better.mu + one / c * v, math.sqrt(one * (1 - one / c**2 * w))),
        Rating(worse.mu - two / c * v, math.sqrt(two * (1 - two / c**2 * w))),
    )


RATINGS = st.builds(Rating, st.floats(5, 45), st.floats(1, 9))


@settings(derandomize=True, max_examples=150, deadline=None)
@given(one=RATINGS, two=RATINGS, draw=st.booleans())
def test_two_players_follow_the_closed_form(one: Rating, two: Rating, draw: bool) -> None:
    """Wins, upsets and draws, with the margin that a run uses."""
    rated = TrueSkillModel().rate([Player("a", one, 1), Player("b", two, 1 if draw else 2)])
    expected = closed_form(one, two, draw=draw)
    assert rated["a"] == pytest.approx(expected[0], abs=1e-3)
    assert rated["b"] == pytest.approx(expected[1], abs=1e-3)


def test_the_order_of_players_makes_no_difference() -> None:
    """Bit for bit, ties included."""
    players = [
        Player(name, Rating(25 + place, 5), rank)
        for place, (name, rank) in enumerate(zip("dbca", [1, 2, 2, 4], strict=True))
    ]
    model = TrueSkillModel()
    rated = model.rate(players)
    assert model.rate(players[::-1]) == rated
    assert list(rated) == ["a", "b", "c", "d"]


def test_all_tied_players_are_all_treated_alike() -> None:
    """Seven new players who all tie stay where they are and become better known."""
    rated = TrueSkillModel().rate([Player(name, Rating(), 1) for name in "abcdefg"])
    for rating in rated.values():
        assert rating.mu == pytest.approx(MU, abs=0.05)
        assert rating.sigma < SIGMA


@pytest.mark.parametrize("sigma", [25 / 3, 1.0, 0.1])
@pytest.mark.parametrize("gap", [60, 230, 1_000])
@pytest.mark.parametrize("draw", [False, True])
def test_surprises_beyond_the_reach_of_floats(gap: float, sigma: float, draw: bool) -> None:
    """The weaker player wins or draws against all odds: still a finite rating, and near the tail's own limit."""
    weak, strong = Rating(25, sigma), Rating(25 + gap, sigma)
    rated = TrueSkillModel().rate([Player("weak", weak, 1), Player("strong", strong, 1 if draw else 2)])
    # Far in the tail v tends to (margin - gap) / c: each moves by about sigma^2 / c^2 of the gap.
    moved = sigma**2 / (2 * (25 / 6) ** 2 + 2 * sigma**2) * gap
    assert rated["weak"].mu - 25 == pytest.approx(moved, rel=0.12)
    assert rated["strong"].mu - 25 - gap == pytest.approx(-moved, rel=0.12)
    assert 0 < rated["weak"].sigma < sigma


def test_what_was_certain_changes_nothing() -> None:
    """The expected outcome at a gap of a thousand is no news, in whatever backend it is computed."""
    rated = TrueSkillModel().rate([Player("weak", Rating(25, 1), 2), Player("strong", Rating(1025, 1), 1)])
    assert rated["weak"] == pytest.approx((25, 1))
    assert rated["strong"] == pytest.approx((1025, 1))


def test_the_import_survives_warnings_as_errors(tmp_path: Path) -> None:
    """A program run with `-W error`, the library's byte code not used, can import the ratings."""
    command = [
        sys.executable,
        "-B",
        "-W",
        "error",
        "-X",
        f"pycache_prefix={tmp_path}",
        "-c",
        "import runner.ratings.trueskill_model",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("sigma", [25 / 3, 3.0, 1.0])
@pytest.mark.parametrize("gap", [0.0, 20.0, 50.0, 100.0, 150.0, 200.0])
def test_an_upset_over_any_gap_is_rated_as_exactly_as_mpmath_does(sigma: float, gap: float) -> None:
    """The floats' own tail is far more exact than a rating needs."""
    exact = trueskill.TrueSkill(tau=0, draw_probability=0.05, backend="mpmath")
    wanted = exact.rate([(exact.create_rating(0, sigma),), (exact.create_rating(gap, sigma),)], ranks=[0, 1])
    found = TrueSkillModel().rate([Player("a", Rating(0, sigma), 1), Player("b", Rating(gap, sigma), 2)])
    for one, (rating,) in zip("ab", wanted, strict=True):
        assert found[one].mu == pytest.approx(float(rating.mu), abs=1e-9)
        assert found[one].sigma == pytest.approx(float(rating.sigma), abs=1e-9)
