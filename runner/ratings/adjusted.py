"""The adjusted score: points a game, freed from the luck of cards and opponents.

The unit is the match: y is an entrant's mean points over the match's games. The model is y = match effect + entrant's
strength, fitted by least squares over the seats whose entrants played all of the match (faultless seats).
"""

from collections.abc import Mapping, Sequence

from runner.table.summary import MatchSummary

# A singular value this small against the largest belongs to a field that falls into groups that never met.
_RCOND = 1e-10


class AdjustedFit:
    """Normal equations of the fit, gathered match by match: memory grows with entrants, not with matches.

    With the match effects eliminated, entrant i's equation is
    sum over its matches of (strength_i - mean strength of the match's faultless seats) = sum of (y_i - mean y of them).
    A faulted seat takes no part in this. Its capped score is compared, afterwards, with the match effect that the
    others gave, and so moves nothing but its own entrant's mean.
    """

    def __init__(self, entrants: Sequence[str]) -> None:
        # One order of summation, whatever order the entrants come in.
        self._index = {entrant: number for number, entrant in enumerate(sorted(entrants))}
        size = len(self._index)
        self._matches = [0] * size
        self._weights = [[0.0] * size for _ in range(size)]
        self._surplus = [0.0] * size
        self._capped_matches = [0] * size
        self._capped_weights: dict[int, list[float]] = {}
        self._capped_surplus = [0.0] * size

    def add(self, summary: MatchSummary) -> None:
        """Take in a match. One without a faultless seat says nothing and is passed over."""
        scores = [
            (self._index[seat.entrant], seat.total / summary.games) for seat in summary.seats if not seat.stand_in
        ]
        if not scores:
            return
        share = 1 / len(scores)
        mean = sum(score for _, score in scores) * share
        for number, score in scores:
            self._matches[number] += 1
            self._surplus[number] += score - mean
            row = self._weights[number]
            for other, _ in scores:
                row[other] += share
        for seat in summary.seats:
            if seat.stand_in and seat.faults:
                number = self._index[seat.entrant]
                self._capped_matches[number] += 1
                self._capped_surplus[number] += seat.total / summary.games - mean
                row = self._capped_weights.setdefault(number, [0.0] * len(self._index))
                for other, _ in scores:
                    row[other] += share

    def solve(self) -> Mapping[str, float]:
        """Return the adjusted score, in points a game, of all with a match; only differences mean anything."""
        strengths = self._strengths()
        found: dict[str, float] = {}
        for entrant, number in self._index.items():
            matches = self._matches[number] + self._capped_matches[number]
            if matches == 0:
                continue
            capped = self._capped_surplus[number]
            for strength, weight in zip(strengths, self._capped_weights.get(number, ()), strict=False):
                capped += strength * weight
            found[entrant] = (self._matches[number] * strengths[number] + capped) / matches
        return found

    def _strengths(self) -> list[float]:
        """Return the least squares strengths; each group of entrants that met has its own mean, zero."""
        import numpy as np  # noqa: PLC0415 - slow to import, needed only here

        matrix = np.diag(np.array(self._matches, dtype=float)) - np.array(self._weights, dtype=float)
        solution = np.linalg.lstsq(matrix, np.array(self._surplus), rcond=_RCOND)[0]
        return [float(value) for value in solution]
