"""A few matches played for their length alone: what an estimate of a run's time and disk rests on."""

import time
from dataclasses import dataclass

from runner.entrant.cpus import on_one_cpu
from runner.entrant.pool import SessionPool
from runner.entrant.temporary import temporary_directory
from runner.entrant.tree import become_subreaper, sweep_orphans
from runner.schedule.fixtures import Schedule
from runner.table.match import play_match
from runner.tournament.config import Tournament
from runner.tournament.run import open_run

TRIAL_SECONDS = 10.0  # are enough; the trial ends with the match in which they are over
START_BYTES = 120_000  # of a store without matches
MATCH_BYTES = 400  # that a match takes beside its games' logs, measured
GAME_BYTES = 500  # the same for a game


@dataclass(frozen=True, slots=True)
class Trial:
    """Means over `matches` of a match's seconds and bytes stored; `notes` are what there was to remark."""

    matches: int
    seconds_a_match: float
    bytes_a_match: float
    notes: tuple[str, ...]


def try_out(tournament: Tournament) -> tuple[Trial, Schedule]:
    """Play matches until every entrant has sat in one or time is up, in a temporary directory, and keep nothing.

    Raises `ConfigError` as a run would. Bots are running when the clock starts: their start-up is left out, as it
    is paid once a run.
    """
    become_subreaper()
    with (
        temporary_directory() as temporary,
        open_run(tournament, temporary.path / "run") as run,
        on_one_cpu(),
    ):
        pool = SessionPool(run.launches, run.plan.conditions.clock, frozenset(run.plan.terms.fresh))
        unseen = set(run.plan.terms.entrants)
        seconds, stored, matches = 0.0, 0, 0
        faults: dict[str, str] = {}  # the first of each entrant
        try:
            for match in run.plan.matches(lambda key: None):
                if not unseen.intersection(match.entrants):
                    continue
                for rotation in range(len(match.entrants)):
                    for entrant in match.entrants:
                        pool.find(entrant, rotation)
                began = time.monotonic()
                result = play_match(match, run.plan.conditions, run.plan.snapshots, pool.find)
                seconds += time.monotonic() - began
                stored += MATCH_BYTES + sum(GAME_BYTES + len(game.log) for game in result.games)
                matches += 1
                for fault in result.faults:
                    faults.setdefault(
                        fault.entrant, f"{fault.entrant} faulted in the trial: {fault.kind}: {fault.detail}"
                    )
                unseen -= set(match.entrants)
                if not unseen or seconds > TRIAL_SECONDS:
                    break
        finally:
            pool.close()
            sweep_orphans()
        notes = (*temporary.notes, *run.notes, *faults.values())
        return Trial(matches, seconds / matches, stored / matches, notes), run.plan.schedule
