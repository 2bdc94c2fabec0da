"""What runs inside a worker process: it keeps bots alive between matches and plays the chunks it is given."""

import logging
import signal
import time
from collections.abc import Mapping, Sequence
from ctypes import c_bool
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.util import Finalize

from runner.entrant.cpus import bind
from runner.entrant.launch import Launch
from runner.entrant.pool import SessionPool
from runner.entrant.tree import become_subreaper, die_with_parent
from runner.table.conditions import Conditions
from runner.table.match import play_match
from runner.table.results import MatchPlan, MatchResult

log = logging.getLogger("ohhell.worker")


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What every worker of a run is started with; `started` counts them, `stop` is set when no more is to be played."""

    parent: int
    conditions: Conditions
    snapshots: Mapping[str, bytes]
    launches: Mapping[str, Launch]
    fresh: frozenset[str]
    cpus: tuple[int, ...]
    started: "Synchronized[int]"
    stop: c_bool


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """The matches of a chunk that were played, and how long that took."""

    results: tuple[MatchResult, ...]
    seconds: float


@dataclass(slots=True)
class _Worker:
    setup: WorkerSetup
    pool: SessionPool


_worker: _Worker | None = None


def start_worker(setup: WorkerSetup) -> None:
    """Prepare this process: it ends with its parent, leaves Ctrl-C to it, and has one CPU."""
    global _worker  # noqa: PLW0603 - an executor gives a worker no other place to keep its bots between chunks
    die_with_parent(setup.parent)
    become_subreaper()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with setup.started.get_lock():
        index = setup.started.value
        setup.started.value += 1
    if setup.cpus:
        bind(setup.cpus[index % len(setup.cpus)])
    pool = SessionPool(setup.launches, setup.conditions.clock, setup.fresh)
    _worker = _Worker(setup, pool)
    Finalize(None, pool.close, exitpriority=10)


def play_chunk(plans: Sequence[MatchPlan]) -> ChunkResult:
    """Play the matches one after the other; stops early, with what it has, when the run is stopping."""
    assert _worker is not None, "start_worker runs first in every worker"
    setup = _worker.setup
    began = time.monotonic()
    results: list[MatchResult] = []
    for plan in plans:
        if setup.stop.value:
            break
        result = play_match(plan, setup.conditions, setup.snapshots, _worker.pool.find)
        for fault in result.faults:
            log.warning("%s: %s: %s (game %s/%d, %s)", fault.entrant, fault.kind, fault.detail,
                        result.deal, fault.rotation, fault.when, extra={"entrant": fault.entrant})  # fmt: skip
        results.append(result)
    return ChunkResult(tuple(results), time.monotonic() - began)
