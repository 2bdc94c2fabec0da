"""What of a run differs each time it is played: decision times, void attempts, dates. Never part of its results."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from runner.game.deal import deal_game
from runner.protocol.faults import Fault
from runner.protocol.lines import Reply
from runner.ratings.times import DecisionTimes, decision_times
from runner.record.log import decode_log
from runner.referee.game import Request
from runner.store.store import Store
from runner.table.conditions import Conditions
from runner.table.match import entrants_by_seat
from runner.table.replay import replay_stored
from runner.table.results import MatchResult
from runner.tournament.known import Known
from runner.tournament.plan import Plan


@dataclass(frozen=True, slots=True)
class RunTimes:
    """`decisions` and `voids` (void attempts at its matches) by entrant id; dates in UTC, ISO 8601, None if unknown."""

    decisions: dict[str, DecisionTimes]
    voids: dict[str, int]
    started: str | None
    finished: str | None

    def of(self, entrant: str) -> dict[str, Any]:
        """Return what `standings --json --times` has on an entrant; times in microseconds, null without decisions."""
        times = self.decisions.get(entrant)
        return {
            "decisions": times.decisions if times else 0,
            "median_us": times.median if times else None,
            "p99_us": times.p99 if times else None,
            "voids": self.voids.get(entrant, 0),
        }


def compute_times(store: Store, plan: Plan) -> RunTimes:
    """Return the times of the plan's stored matches; replays every game, at a few milliseconds each."""
    known = Known(store)
    void_attempts = store.voids()
    voids: Counter[str] = Counter()
    for match in plan.matches(known.faulted):
        for entrant in match.entrants:
            voids[entrant] += void_attempts.get(match.key, 0)
    decisions = decision_times(_all_times(store, plan, known))
    return RunTimes(decisions, dict(voids), store.get("started"), store.get("finished"))


def _all_times(store: Store, plan: Plan, known: Known) -> Iterator[tuple[str, int]]:
    for match in plan.matches(known.faulted):
        result = store.result(match.key)
        if result is not None:
            yield from match_times(result, plan.conditions)


def match_times(result: MatchResult, conditions: Conditions) -> Iterator[tuple[str, int]]:
    """Yield (entrant, microseconds charged) for every decision; whose it was follows from the rules."""
    deal = deal_game(conditions.rules, conditions.seed, result.deal)
    entrants = tuple(seat.entrant for seat in result.seats)
    for game in result.games:
        asked: list[int] = []

        def note(number: int, request: Request, answer: Reply | Fault, asked: list[int] = asked) -> None:
            asked.append(request.seat)

        replay_stored(
            result, game.rotation, conditions, deal, observe=lambda fact: None, on_decision=note, every_act=False
        )
        seated = entrants_by_seat(entrants, game.rotation)
        yield from ((seated[seat], micros) for seat, micros in zip(asked, decode_log(game.log).times_us, strict=True))
