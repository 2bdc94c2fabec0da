"""The worker processes of a run: started, renewed when one has died, ended without leaving anything behind."""

import logging
import multiprocessing
import os
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress

import multiprocessing_logging

from runner.entrant.process import Launch
from runner.entrant.tree import become_subreaper, sweep_orphans
from runner.table.results import MatchPlan
from runner.tournament.plan import Plan
from runner.tournament.workers import ChunkResult, WorkerSetup, play_chunk, start_worker, usable_cpus


class Crew:
    """A pool of worker processes, each with bots of its own. One at a time in a process."""

    def __init__(self, plan: Plan, launches: Mapping[str, Launch], workers: int) -> None:
        self.workers = workers
        # multiprocessing-logging loses every record of workers that are not forked, and says so only for some.
        multiprocessing.set_start_method("fork", force=True)
        become_subreaper()  # what a killed worker's bots have started becomes ours to end
        self._setup = WorkerSetup(
            parent=os.getpid(),
            conditions=plan.conditions,
            snapshots=plan.snapshots,
            launches=launches,
            fresh=frozenset(plan.terms.fresh),
            cpus=usable_cpus(),
            started=multiprocessing.Value("i", 0),
            stop=multiprocessing.Event(),
        )
        self._executor: ProcessPoolExecutor | None = None

    def submit(self, chunk: list[MatchPlan]) -> Future[ChunkResult]:
        """Have a worker play `chunk`; starts the workers if there are none."""
        if self._executor is None:
            multiprocessing_logging.install_mp_handler()
            self._executor = ProcessPoolExecutor(
                self.workers, multiprocessing.get_context("fork"), start_worker, (self._setup,)
            )
        return self._executor.submit(play_chunk, chunk)

    def stop_soon(self) -> None:
        """Have every worker stop after the match that it is in."""
        self._setup.stop.set()
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def renew(self) -> None:
        """End all workers and what they have left; the next chunk starts new ones."""
        self.kill()

    def kill(self) -> None:
        """End all workers at once, and every process that their bots have left."""
        if self._executor is None:
            return
        workers = list(multiprocessing.active_children())
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.join()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._executor = None
        _uninstall_logging(broken=True)
        sweep_orphans()

    def close(self) -> None:
        """Let the workers end their bots and themselves."""
        if self._executor is None:
            return
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._executor = None
        _uninstall_logging(broken=False)
        sweep_orphans()


def _uninstall_logging(*, broken: bool) -> None:
    """Give the root logger its own handlers back. A worker killed while it logs leaves a queue nobody can join."""
    wrapped = [
        handler
        for handler in logging.getLogger().handlers
        if isinstance(handler, multiprocessing_logging.MultiProcessingHandler)
    ]
    multiprocessing_logging.uninstall_mp_handler()
    if broken:
        for handler in wrapped:
            with suppress(AttributeError):
                handler.queue.cancel_join_thread()
