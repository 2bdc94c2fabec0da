"""The loop of a run: hands out what is missing, stores what comes back, and starts again what our own side spoilt."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import islice

from runner.entrant.launch import Launch
from runner.errors import OhHellError
from runner.store.store import Store
from runner.table.results import MatchPlan, MatchResult
from runner.text import escape, plural
from runner.tournament.crew import Crew
from runner.tournament.interrupts import Interrupts
from runner.tournament.known import Known
from runner.tournament.plan import Plan
from runner.tournament.workers import ChunkResult

CHUNK_SECONDS = 0.5  # of play in one chunk: long enough to make its cost small, short enough to lose little
MAX_CHUNK = 64  # matches
AHEAD = 2  # chunks in flight a worker, so that none waits for the parent
ATTEMPTS = 3  # at a match whose worker dies; the last one alone on a fresh worker
LOOK_SECONDS = 0.2  # between two looks at interrupts and at whether the workers live
STOP_SECONDS = 3.0  # that matches in play are given to end when the run is interrupted

log = logging.getLogger("ohhell.run")


class WorkerError(OhHellError):
    """A worker could not go on for want of disk, processes or memory; what was played is kept."""

    exit_code = 3

    def __init__(self, lack: OSError) -> None:
        where = f" at {escape(str(lack.filename))}" if lack.filename else ""
        super().__init__(
            f"A worker process could not go on{where} ({escape(lack.strerror or str(lack))}); what was played is kept. "
            "Make room for bots and their files, or use fewer --workers, and run again to go on from there."
        )


@dataclass(slots=True)
class Outcome:
    """How a run went: matches played now, void attempts, and the matches left out because every attempt was void."""

    played: int = 0
    voids: int = 0
    left_out: list[MatchPlan] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Step:
    """Some matches have been stored; `missing` are still to be played, as far as known."""

    results: tuple[MatchResult, ...]
    missing: int


Watch = Callable[[Step], None]


def play(plan: Plan, store: Store, known: Known, launches: Mapping[str, Launch], workers: int, watch: Watch) -> Outcome:
    """Play every match of the plan that has no result, and return how that went.

    Results are stored chunk by chunk, so whatever ends this keeps what was played. Disqualifications found on the way
    change later matches: the plan is gone through again until nothing is missing. After an interrupt
    `KeyboardInterrupt` is raised when what could be saved in a few seconds has been stored; a second one ends it at
    once. Raises `WorkerError` if a worker cannot go on for want of something of ours.
    """
    with Interrupts() as interrupts:
        loop = _Loop(plan, store, known, watch, interrupts)
        crew = Crew(plan, launches, workers)
        try:
            while loop.count_missing():
                loop.go_through(crew)
                # What a disqualification has changed is played again on the same cards: never by bots that know them.
                crew.close()
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

    def __init__(self, plan: Plan, store: Store, known: Known, watch: Watch, interrupts: Interrupts) -> None:
        self.outcome = Outcome()
        self._plan = plan
        self._store = store
        self._known = known
        self._watch = watch
        self._interrupts = interrupts
        self._in_flight: dict[Future[ChunkResult], list[MatchPlan]] = {}
        self._attempts: Counter[bytes] = Counter()
        self._left_out: set[bytes] = set()
        self._alone: list[MatchPlan] = []
        self._match_seconds = CHUNK_SECONDS
        self._missing = 0

    def count_missing(self) -> int:
        """Return how many matches are still to be played, as far as known."""
        self._missing = sum(1 for _ in self._to_play())
        return self._missing

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
                # One at a time the second time, so that a match which ends its worker takes few others along.
                chunk = [again.pop()] if again else list(islice(queue, self._chunk_size()))
                if not chunk:
                    break
                self._submit(chunk, crew)
            if not self._in_flight:
                break
            if void := self._collect(self._wait(crew)):
                again += self._try_again(void, crew)
        while self._alone:
            match = self._alone.pop()
            crew.kill()
            self._submit([match], crew)
            if self._collect(self._wait(crew)):
                self._try_again([match], crew)

    def _submit(self, chunk: list[MatchPlan], crew: Crew) -> None:
        try:
            self._in_flight[crew.submit(chunk)] = chunk
        except OSError as lack:
            raise WorkerError(lack) from lack

    def _chunk_size(self) -> int:
        return max(1, min(MAX_CHUNK, int(CHUNK_SECONDS / self._match_seconds)))

    def _wait(self, crew: Crew) -> Iterable[Future[ChunkResult]]:
        """Return the chunks that have ended, at least one. Raises `KeyboardInterrupt` and `WorkerError`."""
        looks_lacking = 0
        while True:
            self._interrupts.check()
            if done := wait(self._in_flight, LOOK_SECONDS, FIRST_COMPLETED).done:
                return done
            try:
                crew.check_thread()
            except OSError as lack:
                raise WorkerError(lack) from lack
            looks_lacking = looks_lacking + 1 if crew.lacks_workers() else 0
            if looks_lacking > 1:  # killed while it wrote a result, and the executor still waits for the rest of it
                crew.kill()

    def _collect(self, ended: Iterable[Future[ChunkResult]]) -> list[MatchPlan]:
        """Store what has ended; return the matches that were in flight when a worker died."""
        results: list[MatchResult] = []
        void: list[MatchPlan] = []
        lack: OSError | None = None
        for future in ended:
            chunk = self._in_flight.pop(future)
            try:
                played = future.result(timeout=0)
            except (BrokenProcessPool, CancelledError, TimeoutError):
                void += chunk
                continue
            except OSError as error:
                lack = error
                continue
            results += played.results
            if played.results:
                self._match_seconds = (self._match_seconds + played.seconds / len(played.results)) / 2
        if results:
            self._store.write(results)
            for result in results:
                self._known.add(result)
            self.outcome.played += len(results)
            self._missing = max(0, self._missing - len(results))
            self._watch(Step(tuple(results), self._missing))
        if lack is not None:
            raise WorkerError(lack)
        return void

    def _try_again(self, void: list[MatchPlan], crew: Crew) -> list[MatchPlan]:
        """Note that a worker died, start new ones, and return what may be tried with others again."""
        crew.kill()  # a broken pool fails all it has
        void += self._collect(tuple(self._in_flight))
        again: list[MatchPlan] = []
        for match in void:
            self._attempts[match.key] += 1
            self.outcome.voids += 1
            self._store.attempt(match.key, "a worker process died")
            if self._attempts[match.key] >= ATTEMPTS:
                self._left_out.add(match.key)
                self.outcome.left_out.append(match)
            elif self._attempts[match.key] == ATTEMPTS - 1:
                self._alone.append(match)
            else:
                again.append(match)
        log.warning("a worker process died: %s", plural(len(void), "match in play is void", "matches in play are void"))
        return again

    def save_what_ends_soon(self, crew: Crew) -> None:
        """Have workers stop after the match they are in, store what comes in time, and end the rest."""
        try:
            crew.stop_soon()
            deadline = time.monotonic() + STOP_SECONDS
            while self._in_flight and self._interrupts.count < 2 and time.monotonic() < deadline:
                self._collect(wait(self._in_flight, LOOK_SECONDS, FIRST_COMPLETED).done)
        finally:
            crew.kill()
