"""TrueSkill ratings of matches with several places: the one module that knows the package `trueskill`."""

import math
import warnings
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

with warnings.catch_warnings():
    # trueskill 0.4.5 has an invalid escape in a docstring; with warnings as errors its import would fail.
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    import trueskill

MU = 25.0
SIGMA = 25 / 3
DRAW_PROBABILITY = 0.05

_NORMAL = NormalDist()
_MINUS_ROOT_HALF = -math.sqrt(0.5)


def _cdf(x: float) -> float:
    """Return the normal distribution function by erfc, which keeps its digits in the lower tail, where upsets lie."""
    return 0.5 * math.erfc(x * _MINUS_ROOT_HALF)


# Faster than the package's own functions, and within 1e-7 of mpmath wherever they give a rating at all;
# NormalDist().cdf is off by 0.03 sigma at a gap of 100 mu between new players.
_BACKEND = (_cdf, _NORMAL.pdf, _NORMAL.inv_cdf)


class Rating(NamedTuple):
    """A belief about a skill: normal with mean `mu` and standard deviation `sigma`."""

    mu: float = MU
    sigma: float = SIGMA


class Player(NamedTuple):
    """An entrant in a match to be rated, with its rating before it and its rank; equal ranks are ties."""

    id: str
    rating: Rating
    rank: int


class TrueSkillModel:
    """How matches change ratings: beta 25/6, `tau` added to every sigma before a match, a margin for ties.

    `tau` = 0 is for a fixed field, where the order of matches should not matter; more is for a ladder.
    `draw_probability` (more than 0) sets the margin for each pair of adjacent places.
    """

    def __init__(self, *, tau: float = 0.0, draw_probability: float = DRAW_PROBABILITY) -> None:
        self._settings = {"mu": MU, "sigma": SIGMA, "beta": 25 / 6, "tau": tau, "draw_probability": draw_probability}
        self._fast = trueskill.TrueSkill(**self._settings, backend=_BACKEND)
        self._exact: Any = None

    def rate(self, players: Sequence[Player]) -> dict[str, Rating]:
        """Return the ratings of two or more players after a match, by id; the order given makes no difference."""
        # The package treats tied players a little differently by their order, so there is one order.
        ordered = sorted(players)
        try:
            rated = _rate(self._fast, ordered)
        except (FloatingPointError, ValueError):
            # Far out in the tails the floats give up (upsets over gaps of some 250 mu).
            rated = _rate(self._exact_model(), ordered)
        return {player.id: rating for player, rating in zip(ordered, rated, strict=True)}

    def _exact_model(self) -> Any:
        if self._exact is None:
            self._exact = trueskill.TrueSkill(**self._settings, backend="mpmath")
        return self._exact


def _rate(model: Any, players: Sequence[Player]) -> list[Rating]:
    groups = [(model.create_rating(*player.rating),) for player in players]
    rated = model.rate(groups, ranks=[player.rank for player in players])
    return [Rating(float(rating.mu), float(rating.sigma)) for (rating,) in rated]
