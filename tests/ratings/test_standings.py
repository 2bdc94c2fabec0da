"""Standings: what is counted for whom, in which order they are printed, and that nothing else has a say."""

import random
from dataclasses import fields, replace
from statistics import mean

import msgspec
import pytest

from runner.ratings.ladder import Checkpoint, Ladder
from runner.ratings.standings import RankBy, Standing, Standings, compute_standings
from runner.ratings.trueskill_model import Player, Rating, TrueSkillModel

from .helpers import match, random_matches

NAMES = ("ada", "bob", "cy", "dee", "eve")


def by_id(standings: Standings) -> dict[str, Standing]:
    return {line.id: line for line in standings.lines}


def test_the_fields_are_those_of_the_json() -> None:
    """Names and order are what others rely on."""
    names = (
        "id place place_group worst_place adjusted low high mu sigma conservative points_per_game matches games "
        "bids_made stand_in_matches faults disqualified"
    )
    assert [one.name for one in fields(Standing)] == names.split()


def test_counts_means_and_shares() -> None:
    """Two matches of three games and 40 hands with 20 bids made by everybody, worked out by hand."""
    matches = [match(1, {"ada": 30, "bob": 24, "cy": 12}), match(2, {"ada": 24, "bob": 27, "cy": 12})]
    lines = compute_standings(matches, ("cy", "ada", "bob")).lines
    assert [(line.id, line.place, line.points_per_game, line.adjusted) for line in lines] == [
        ("ada", 1, 9, 1.833333),
        ("bob", 2, 8.5, 1.333333),
        ("cy", 3, 4, -3.166667),
    ]
    assert {(line.matches, line.games, line.bids_made, line.stand_in_matches) for line in lines} == {(2, 6, 0.5, 0)}
    assert all(line.faults == {} and not line.disqualified for line in lines)
    assert all((line.low, line.high, line.place_group, line.worst_place) == (None,) * 4 for line in lines)


def test_trueskill_is_centred_on_the_ranked() -> None:
    """Ratings match by match in the order given, less the mean of the ranked; conservative is three sigmas lower."""
    matches = random_matches(1, NAMES, 4, 12)
    model, ratings = TrueSkillModel(), {one: Rating() for one in NAMES}
    for summary in matches:
        ratings |= model.rate([Player(seat.entrant, ratings[seat.entrant], seat.rank) for seat in summary.seats])
    for line in compute_standings(matches, NAMES, house=frozenset({"eve"})).lines:
        centre = mean(ratings[one].mu for one in NAMES if one != "eve")
        assert line.mu == pytest.approx(ratings[line.id].mu - centre, abs=1e-6)
        assert line.sigma == pytest.approx(ratings[line.id].sigma, abs=1e-6)
        assert line.conservative == pytest.approx(line.mu - 3 * line.sigma, abs=1e-5)


def test_a_fault_is_counted_and_ranks_last() -> None:
    """The capped score counts for the one who faulted, its bids in that match do not; two faults are two."""
    matches = [
        match(1, {"ada": 30, "bob": 24, "cy": 12}),
        match(2, {"ada": 9, "bob": 30, "cy": 9}, faults={"ada": ("garbage", "died")}),
        match(3, {"ada": 9, "bob": 30, "cy": 9}, faults={"ada": ("died",)}),
    ]
    ada = by_id(compute_standings(matches, ("ada", "bob", "cy")))["ada"]
    assert ada.faults == {"died": 2, "garbage": 1}
    assert list(ada.faults) == ["died", "garbage"]
    assert (ada.matches, ada.games, ada.stand_in_matches) == (3, 9, 2)
    assert ada.points_per_game == pytest.approx(48 / 9, abs=1e-6)
    assert ada.bids_made == 0.5


def test_a_match_in_which_all_faulted_counts_for_nobody() -> None:
    """Scores and ratings are as without it; the faults are told all the same."""
    kept = [match(1, {"ada": 30, "bob": 24, "cy": 12})]
    spoilt = match(2, {"ada": 99, "bob": 1, "cy": 0}, faults=dict.fromkeys(("ada", "bob", "cy"), ("died",)))
    without, with_it = (by_id(compute_standings(m, ("ada", "bob", "cy"))) for m in (kept, [*kept, spoilt]))
    for one, line in with_it.items():
        assert (line.faults, line.stand_in_matches) == ({"died": 1}, 1)
        for name in ("place", "adjusted", "mu", "sigma", "points_per_game", "matches", "games", "bids_made"):
            assert getattr(line, name) == getattr(without[one], name)


def test_the_disqualified_come_last_and_take_no_place() -> None:
    """Matches up to there stand for all; from there on the stand-in's seat counts for nobody."""
    before = [match(1, {"ada": 30, "bob": 24, "cy": 50})]
    after = match(2, {"ada": 30, "bob": 24, "cy": 99}, absent=("cy",))
    found = compute_standings([*before, after], ("ada", "bob", "cy"), disqualified=frozenset({"cy"}))
    assert [(line.id, line.place, line.disqualified) for line in found.lines] == [
        ("ada", 1, False),
        ("bob", 2, False),
        ("cy", None, True),
    ]
    cy = found.lines[-1]
    assert (cy.matches, cy.games, cy.stand_in_matches, cy.points_per_game) == (1, 3, 1, pytest.approx(50 / 3, abs=1e-6))
    assert cy.sigma == by_id(compute_standings(before, ("ada", "bob", "cy")))["cy"].sigma
    assert sum(line.adjusted for line in found.lines[:2]) == pytest.approx(0)


def test_the_rating_of_an_absent_entrant_stays() -> None:
    """A stand-in from the first card is not rated under its name, and the others are rated among themselves."""
    ladder = Ladder()
    ladder.add(match(1, {"ada": 30, "bob": 24, "cy": 99}, absent=("cy",)))
    assert ladder.ratings == TrueSkillModel().rate([Player("ada", Rating(), 1), Player("bob", Rating(), 2)])
    alone = Ladder()
    alone.add(match(1, {"ada": 30, "bob": 24, "cy": 99}, absent=("cy", "bob")))
    assert alone.ratings == {}


def test_who_has_not_played_has_no_figures() -> None:
    """Null where not known, never zero; house players are reported and not ranked."""
    matches = [match(1, {"ada": 30, "house-1": 50, "house-2": 12})]
    house = frozenset({"house-1", "house-2"})
    lines = compute_standings(matches, ("ada", "house-1", "house-2", "bob"), house=house).lines
    assert [(line.id, line.place) for line in lines] == [
        ("ada", 1),
        ("bob", None),
        ("house-1", None),
        ("house-2", None),
    ]
    ada, bob, house_1, _ = lines
    assert (bob.adjusted, bob.mu, bob.sigma, bob.conservative, bob.points_per_game, bob.bids_made) == (None,) * 6
    assert (bob.matches, bob.games) == (0, 0)
    assert ada.adjusted == ada.mu == 0
    assert house_1.adjusted > 0
    assert house_1.points_per_game == pytest.approx(50 / 3, abs=1e-6)


def test_equal_values_share_the_better_place() -> None:
    """1, 2, 2, 4, the equal ones by id."""
    matches = [match(1, {"dee": 40, "cy": 20, "bob": 20, "ada": 4})]
    lines = compute_standings(matches, NAMES[:4]).lines
    assert [(line.id, line.place) for line in lines] == [("dee", 1), ("bob", 2), ("cy", 2), ("ada", 4)]


def test_mirror_images_tie_though_their_sums_round_differently() -> None:
    """Two entrants with the same scores in turn are equal to the last digit shown."""
    matches = []
    for number, table in enumerate([("a", "b", "c"), ("a", "b", "d"), ("a", "c", "d"), ("b", "c", "d")] * 7):
        matches.append(match(number, {one: {"a": 10, "b": 10, "c": 7, "d": 1}[one] * 3 + number for one in table}))
    lines = by_id(compute_standings(matches, tuple("abcd")))
    assert lines["a"].place == lines["b"].place == 1
    assert lines["a"].adjusted == lines["b"].adjusted


@pytest.mark.parametrize(("rank_by", "first"), [("adjusted", "ada"), ("points", "bob"), ("trueskill", "cy")])
def test_the_order_is_by_what_was_chosen(rank_by: RankBy, first: str) -> None:
    """Strong against strong, rich from rich deals, and often narrowly ahead: each leads by its own measure."""
    matches = [
        match(1, {"ada": 300, "dee": 0, "eve": 0}),
        match(2, {"bob": 900, "dee": 870, "eve": 870}),
        *(match(number, {"cy": 31, "dee": 30, "eve": 30}) for number in range(3, 8)),
    ]
    lines = compute_standings(matches, NAMES, rank_by=rank_by).lines
    assert lines[0].id == first
    value = {"adjusted": "adjusted", "points": "points_per_game", "trueskill": "conservative"}[rank_by]
    values = [getattr(line, value) for line in lines]
    assert values == sorted(values, reverse=True)


def encoded(standings: Standings) -> bytes:
    return msgspec.json.encode(standings)


def test_the_order_of_entrants_and_of_seats_has_no_say() -> None:
    """The same matches give the same bytes, whoever is named first."""
    matches = random_matches(5, NAMES, 4, 30, fault_share=0.1)
    rng = random.Random(1)
    expected = encoded(compute_standings(matches, NAMES))
    for _ in range(3):
        names = rng.sample(NAMES, len(NAMES))
        shuffled = [replace(summary, seats=tuple(rng.sample(summary.seats, 4))) for summary in matches]
        assert encoded(compute_standings(shuffled, names)) == expected


@pytest.mark.parametrize("prefix", [0, 1, 17, 40])
def test_going_on_from_a_checkpoint_changes_nothing(prefix: int) -> None:
    """Bit for bit the same standings and the same next checkpoint."""
    matches = random_matches(7, NAMES, 4, 40, fault_share=0.1)
    expected = compute_standings(matches, NAMES)
    checkpoint = compute_standings(matches[:prefix], NAMES).checkpoint
    assert checkpoint.prefix == prefix
    assert encoded(compute_standings(matches, NAMES, checkpoint=checkpoint)) == encoded(expected)


def test_a_checkpoint_is_really_used() -> None:
    """A state that says otherwise than the matches shows: so it was gone on from, and nothing rated twice."""
    matches = random_matches(7, NAMES, 4, 10)
    true = compute_standings(matches, NAMES).checkpoint
    false = Checkpoint(true.prefix, true.prefix_hash, '{"ada": [99, 1], "bob": [1, 1]}')
    assert by_id(compute_standings(matches, NAMES, checkpoint=false))["ada"].mu == 49


@pytest.mark.parametrize("change", ["another match before", "one less", "another order", "another method"])
def test_a_checkpoint_that_no_longer_holds_is_not_used(change: str) -> None:
    """A match that was missing and is played now, one that went, or ratings computed otherwise: all is rated anew."""
    matches = random_matches(7, NAMES, 4, 10)
    checkpoint = compute_standings(matches, NAMES).checkpoint
    now = {
        "another match before": [match(77, {"ada": 3, "bob": 2, "cy": 1}), *matches],
        "one less": matches[:-1],
        "another order": [matches[1], matches[0], *matches[2:]],
        "another method": matches,
    }[change]
    if change == "another method":
        checkpoint = checkpoint._replace(prefix_hash=b"\0" * 32)
    assert not checkpoint.holds(summary.key for summary in now)
    assert encoded(compute_standings(now, NAMES, checkpoint=checkpoint)) == encoded(compute_standings(now, NAMES))


def test_no_matches_at_all() -> None:
    """Standings of a run that has not begun: everybody listed, nobody placed."""
    lines = compute_standings([], NAMES).lines
    assert [(line.id, line.place) for line in lines] == [(one, None) for one in NAMES]
