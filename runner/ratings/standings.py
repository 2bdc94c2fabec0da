"""The standings of a run: what `ohhell standings --json` prints, computed from its matches in schedule order."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from runner.ratings.adjusted import AdjustedFit
from runner.ratings.ladder import Checkpoint, Ladder, counts, is_replaced
from runner.table.summary import MatchSummary

RankBy = Literal["adjusted", "trueskill", "points"]

# Shown, and compared for ties: what lies below is the rounding of sums, and differs between machines.
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Standing:
    """An entrant's line; None where not known. Its fields are those of the JSON, in order.

    `place` is None for who is not ranked: the disqualified, house players that fill a table up, and who has no match
    that counts. `adjusted`, `low`, `high` and `points_per_game` are points a game; `mu` is centred on the mean of the
    ranked, `conservative` is `mu` - 3 `sigma`. `matches` and `games` are those that the entrant played and that count.
    `bids_made` is a share of the hands in matches without a stand-in in its seat, 0 to 1. `stand_in_matches` and
    `faults` are over all matches, those that count for nobody included.
    """

    id: str
    place: int | None
    place_group: int | None
    worst_place: int | None
    adjusted: float | None
    low: float | None
    high: float | None
    mu: float | None
    sigma: float | None
    conservative: float | None
    points_per_game: float | None
    matches: int
    games: int
    bids_made: float | None
    stand_in_matches: int
    faults: Mapping[str, int]
    disqualified: bool


@dataclass(frozen=True, slots=True)
class Standings:
    """All lines in printed order, and the state of the ratings from which a longer run goes on."""

    lines: tuple[Standing, ...]
    checkpoint: Checkpoint


@dataclass(slots=True)
class _Tally:
    """Running sums of one entrant."""

    matches: int = 0
    games: int = 0
    points: int = 0
    own_hands: int = 0
    bids_made: int = 0
    stand_in_matches: int = 0
    faults: Counter[str] = field(default_factory=Counter)


def _tally(tallies: Mapping[str, _Tally], summary: MatchSummary) -> None:
    match_counts = counts(summary)
    for seat in summary.seats:
        tally = tallies[seat.entrant]
        tally.stand_in_matches += seat.stand_in
        tally.faults.update(seat.faults)
        if match_counts and not is_replaced(seat):
            tally.matches += 1
            tally.games += summary.games
            tally.points += seat.total
        if not seat.stand_in:
            tally.own_hands += summary.hands
            tally.bids_made += seat.bids_made


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS) + 0.0  # no minus zero


def _centred(values: Mapping[str, float], ids: Iterable[str]) -> dict[str, float]:
    """Return `values` less the mean of those of `ids`."""
    chosen = [values[one] for one in ids if one in values]
    mean = sum(chosen) / len(chosen) if chosen else 0.0
    return {one: value - mean for one, value in values.items()}


def _line(one: str, tally: _Tally, adjusted: float | None, mu: float | None, sigma: float | None) -> Standing:
    """Return a line without place and verdict."""
    return Standing(
        id=one,
        place=None,
        place_group=None,
        worst_place=None,
        adjusted=_rounded(adjusted),
        low=None,
        high=None,
        mu=_rounded(mu),
        sigma=_rounded(sigma),
        conservative=None if mu is None or sigma is None else _rounded(mu - 3 * sigma),
        points_per_game=_rounded(tally.points / tally.games) if tally.games else None,
        matches=tally.matches,
        games=tally.games,
        bids_made=_rounded(tally.bids_made / tally.own_hands) if tally.own_hands else None,
        stand_in_matches=tally.stand_in_matches,
        faults={kind: tally.faults[kind] for kind in sorted(tally.faults)},
        disqualified=False,
    )


def _placed(lines: Iterable[Standing], rank_by: RankBy) -> list[Standing]:
    """Return `lines` with their places, best first; equal ones share the better place and go by id."""

    def value(line: Standing) -> float:
        found = {"adjusted": line.adjusted, "trueskill": line.conservative, "points": line.points_per_game}[rank_by]
        return -math.inf if found is None else found  # a match against none but stand-ins gives no rating

    ordered = sorted(lines, key=lambda line: (-value(line), line.id))
    values = [-value(line) for line in ordered]
    return [replace(line, place=bisect_left(values, -value(line)) + 1) for line in ordered]


def compute_standings(
    summaries: Iterable[MatchSummary],
    entrants: Sequence[str],
    *,
    rank_by: RankBy = "adjusted",
    disqualified: frozenset[str] = frozenset(),
    house: frozenset[str] = frozenset(),
    checkpoint: Checkpoint | None = None,
) -> Standings:
    """Return the standings of `entrants` after `summaries`, the matches that count in schedule order.

    `summaries` has to allow a second iteration if a `checkpoint` is given, which is used if it holds and changes
    nothing in the result. `entrants` has everybody who sits in a match, the `house` players that fill tables up
    included. The ranked come first, by `rank_by` (TrueSkill by its conservative value), equal values sharing the better
    place; then who has no match, house players, the disqualified, each by id.
    """
    if checkpoint and not checkpoint.holds(summary.key for summary in summaries):
        checkpoint = None
    ladder, fit, tallies = Ladder(checkpoint), AdjustedFit(entrants), {one: _Tally() for one in sorted(entrants)}
    for summary in summaries:
        ladder.add(summary)
        fit.add(summary)
        _tally(tallies, summary)

    ranked = [one for one, tally in tallies.items() if tally.matches and one not in disqualified and one not in house]
    adjusted = _centred(fit.solve(), ranked)
    mus = _centred({one: rating.mu for one, rating in ladder.ratings.items()}, ranked)
    sigmas = {one: rating.sigma for one, rating in ladder.ratings.items()}
    lines = {one: _line(one, tally, adjusted.get(one), mus.get(one), sigmas.get(one)) for one, tally in tallies.items()}
    unranked = sorted(set(tallies) - set(ranked), key=lambda one: (one in disqualified, one in house, one))
    last = [replace(lines[one], disqualified=one in disqualified) for one in unranked]
    return Standings((*_placed([lines[one] for one in ranked], rank_by), *last), ladder.checkpoint())
