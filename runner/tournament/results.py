"""What a run has come to: its stored matches in schedule order, rated."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from runner.ratings.ladder import Checkpoint
from runner.ratings.standings import Standings, compute_standings
from runner.store.store import Store
from runner.table.results import FaultRecord, MatchPlan
from runner.tournament.known import Known
from runner.tournament.plan import Plan

STANDINGS_VERSION = 1
_CHECKPOINT = "trueskill"


@dataclass(frozen=True, slots=True)
class Results:
    """Standings, and how much of the schedule they come from: `played` of `scheduled` matches.

    `first_faults` has the first fault of everybody who faulted, in schedule order, each with the deal it was on.
    """

    plan: Plan
    standings: Standings
    played: int
    scheduled: int
    first_faults: Mapping[str, tuple[str, FaultRecord]]

    def to_mapping(self) -> dict[str, Any]:
        """Return what `standings --json` prints: no dates and no times, so that equal results give equal bytes."""
        terms = self.plan.terms
        run = {
            "name": terms.name,
            "seed": terms.seed,
            "guessable_seed": terms.guessable_seed,
            "rules": terms.rules,
            "table": terms.table,
            "schedule": self.plan.schedule.kind,
            "replicates": terms.replicates,
            "matches": self.played,
            "scheduled": self.scheduled,
            "rank_by": terms.rank_by,
            "isolation": terms.isolation,
            "clock": msgspec.to_builtins(terms.clock),
            "house": list(terms.house),
        }
        lines = [msgspec.to_builtins(line) for line in self.standings.lines]
        return {"version": STANDINGS_VERSION, "run": run, "standings": lines}


def compute_results(store: Store, plan: Plan) -> Results:
    """Return the results of the plan's matches that are stored, in schedule order."""
    known = Known(store)
    matches = list(plan.matches(known.faulted))
    keys = [match.key for match in matches]
    played = sum(key in known for key in keys)
    stored = store.checkpoint(_CHECKPOINT)
    standings = compute_standings(
        store.summaries(keys),
        plan.terms.entrants,
        rank_by=plan.terms.rank_by,
        disqualified=plan.disqualified(known.faulted),
        house=frozenset(plan.terms.house),
        checkpoint=Checkpoint(*stored) if stored else None,
    )
    return Results(plan, standings, played, len(keys), _first_faults(store, known, matches))


def _first_faults(store: Store, known: Known, matches: Iterable[MatchPlan]) -> dict[str, tuple[str, FaultRecord]]:
    found: dict[str, tuple[str, FaultRecord]] = {}
    for match in matches:
        if (known.faulted(match.key) or frozenset()) - found.keys():
            for _, fault in store.faults([match.key]):
                found.setdefault(fault.entrant, (match.deal, fault))
    return found


def store_checkpoint(store: Store, results: Results) -> None:
    """Keep the state of the ratings, so that a longer run goes on from there."""
    store.set_checkpoint(_CHECKPOINT, *results.standings.checkpoint)


def store_schedule(store: Store, plan: Plan, known: Known) -> None:
    """Have the store's views look at the plan's matches as they are known now, and at no others."""
    store.schedule(match.key for match in plan.matches(known.faulted))
