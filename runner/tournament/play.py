"""The loop of a run: hands out what is missing, stores what comes back, and starts again what our own side spoilt."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import islice

from runner.entrant.process import Launch
from runner.store.store import Store
from runner.table.results import MatchPlan, MatchResult
from runner.tournament.crew import Crew
from runner.tournament.known import Known
from runner.tournament.plan import Plan
from runner.tournament.workers import ChunkResult

CHUNK_SECONDS = 0.5  # of play in one chunk: long enough to make its cost small, short enough to lose little
MAX_CHUNK = 64  # matches
AHEAD = 2  # chunks in flight a worker, so that none waits for the parent
ATTEMPTS = 3  # at a match whose worker dies; the last one alone on a fresh worker
STOP_SECONDS = 3.0  # that matches in play are given to end when the run is interrupted

log = logging.getLogger("ohhell.run")


@dataclass(slots=True)
class Outcome:
    """How a run went: matches played now, void attempts, and the matches left out because every attempt was void."""

    played: int = 0
    voids: int = 0
    left_out: list[MatchPlan] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Step:
    """Some matches have been stored."""

    results: tuple[MatchResult, ...]


Watch = Callable[[Step], None]


def play(plan: Plan, store: Store, known: Known, launches: Mapping[str, Launch], workers: int, watch: Watch) -> Outcome:
    """Play every match of the plan that has no result, and return how that went.

    Results are stored chunk by chunk, so whatever ends this keeps what was played. Disqualifications found on the way
    change later matches: the plan is gone through again until nothing is missing. `KeyboardInterrupt` is raised again
    after what could be saved in a few seconds has been stored; a second one ends it at once.
    """
    loop = _Loop(plan, store, known, watch)
    crew = Crew(plan, launches, workers)
    try:
        while loop.missing():
            loop.go_through(crew)
    except KeyboardInterrupt:
        loop.save_what_ends_soon(crew)
        raise
    except BaseException:
        crew.kill()
        raise
    finally:
        crew.close()
    return loop.outcome


class _Loop:
    """The state of a run in play: what is in flight, and how often each match has been tried in vain."""

    def __init__(self, plan: Plan, store: Store, known: Known, watch: Watch) -> None:
        self.outcome = Outcome()
        self._plan = plan
        self._store = store
        self._known = known
        self._watch = watch
        self._in_flight: dict[Future[ChunkResult], list[MatchPlan]] = {}
        self._attempts: Counter[bytes] = Counter()
        self._left_out: set[bytes] = set()
        self._alone: list[MatchPlan] = []
        self._match_seconds = CHUNK_SECONDS

    def missing(self) -> int:
        """Return how many matches are still to be played, as far as known."""
        return sum(1 for _ in self._to_play())

    def _to_play(self) -> Iterator[MatchPlan]:
        for match in self._plan.matches(self._known.faulted):
            if match.key not in self._known and match.key not in self._left_out:
                yield match

    def go_through(self, crew: Crew) -> None:
        """Play the matches that are missing, in order of the schedule; whoever broke a worker twice comes last."""
        queue = self._to_play()
        again: list[MatchPlan] = []
        while True:
            while len(self._in_flight) < AHEAD * crew.workers:
                chunk = again or list(islice(queue, self._chunk_size()))
                if not chunk:
                    break
                again = []
                self._in_flight[crew.submit(chunk)] = chunk
            if not self._in_flight:
                break
            void = self._collect(wait(self._in_flight, return_when=FIRST_COMPLETED).done)
            if void:
                again = self._try_again(void, crew)
        while self._alone:
            match = self._alone.pop()
            crew.renew()
            self._in_flight[crew.submit([match])] = [match]
            if self._collect(wait(self._in_flight).done):
                self._try_again([match], crew)

    def _chunk_size(self) -> int:
        return max(1, min(MAX_CHUNK, int(CHUNK_SECONDS / self._match_seconds)))

    def _collect(self, done: Iterable[Future[ChunkResult]]) -> list[MatchPlan]:
        """Store what has ended; return the matches that were in flight when a worker died."""
        results: list[MatchResult] = []
        void: list[MatchPlan] = []
        for future in done:
            chunk = self._in_flight.pop(future)
            try:
                played = future.result()
            except (BrokenProcessPool, CancelledError):
                void += chunk
                continue
            results += played.results
            if played.results:
                self._match_seconds = (self._match_seconds + played.seconds / len(played.results)) / 2
        if results:
            self._store.write(results)
            for result in results:
                self._known.add(result)
            self.outcome.played += len(results)
            self._watch(Step(tuple(results)))
        return void

    def _try_again(self, void: list[MatchPlan], crew: Crew) -> list[MatchPlan]:
        """Note that a worker died, start new ones, and return what may be tried with others again."""
        void += self._collect(wait(self._in_flight).done)  # a broken pool fails all it has within milliseconds
        crew.renew()
        again: list[MatchPlan] = []
        for match in void:
            self._attempts[match.key] += 1
            self.outcome.voids += 1
            self._store.attempt(match.key, "a worker process died")
            log.warning("match %s is void: a worker process died; it will be played again", match.deal)
            if self._attempts[match.key] >= ATTEMPTS:
                self._left_out.add(match.key)
                self.outcome.left_out.append(match)
            elif self._attempts[match.key] == ATTEMPTS - 1:
                self._alone.append(match)
            else:
                again.append(match)
        return again

    def save_what_ends_soon(self, crew: Crew) -> None:
        """Have workers stop after the match they are in, store what comes in time, and end the rest."""
        try:
            crew.stop_soon()
            self._collect(wait(self._in_flight, timeout=STOP_SECONDS).done)
        finally:
            crew.kill()
