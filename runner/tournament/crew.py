"""The worker processes of a run: started, renewed when one has died, ended without leaving anything behind."""

import errno
import logging
import multiprocessing
import os
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from ctypes import c_bool
from multiprocessing.sharedctypes import RawValue
from typing import Any, cast

import multiprocessing_logging

from runner.entrant.cpus import usable_cpus
from runner.entrant.launch import Launch
from runner.entrant.tree import become_subreaper, sweep_orphans
from runner.table.results import MatchPlan
from runner.tournament.plan import Plan
from runner.tournament.workers import ChunkResult, WorkerSetup, play_chunk, start_worker


class Crew:
    """A pool of worker processes, each with bots of its own. One at a time in a process."""

    def __init__(self, plan: Plan, launches: Mapping[str, Launch], workers: int) -> None:
        self.workers = workers
        # multiprocessing-logging loses every record of workers that are not forked, and says so only for some.
        multiprocessing.set_start_method("fork", force=True)
        become_subreaper()  # what a killed worker's bots have started becomes ours to end
        self._plan = plan
        self._launches = launches
        # Without a lock: a worker that is killed while it holds one would have everybody else wait for ever.
        self._stop: c_bool = RawValue(c_bool, False)
        self._executor: ProcessPoolExecutor | None = None

    def submit(self, chunk: list[MatchPlan]) -> Future[ChunkResult]:
        """Have a worker play `chunk`; starts the workers if there are none.

        Raises OSError if no process or thread can be started for them; `kill` is due then.
        """
        try:
            if self._executor is None:
                multiprocessing_logging.install_mp_handler()
                self._executor = ProcessPoolExecutor(
                    self.workers, multiprocessing.get_context("fork"), start_worker, (self._setup(),)
                )
            return self._executor.submit(play_chunk, chunk)
        except BrokenProcessPool as error:  # a worker has died since the last result
            failed: Future[ChunkResult] = Future()
            failed.set_exception(error)
            return failed
        except RuntimeError as error:  # so `threading` says it
            raise BlockingIOError(errno.EAGAIN, "no thread can be started") from error

    def _setup(self) -> WorkerSetup:
        return WorkerSetup(
            parent=os.getpid(),
            conditions=self._plan.conditions,
            snapshots=self._plan.snapshots,
            launches=self._launches,
            fresh=frozenset(self._plan.terms.fresh),
            cpus=usable_cpus(),
            started=multiprocessing.Value("i", 0),  # anew for each pool: a killed worker may have kept its lock
            stop=self._stop,
        )

    def lacks_workers(self) -> bool:
        """Say whether a worker has died. Every future is about to fail then, or the executor has been held up."""
        return self._executor is not None and len(multiprocessing.active_children()) < self.workers

    def check_thread(self) -> None:
        """Raise OSError if the thread that gives out and takes in has ended, for want of another: all would wait."""
        thread = _thread(self._executor)
        if thread is not None and not thread.is_alive():
            raise BlockingIOError(errno.EAGAIN, "no thread can be started")

    def stop_soon(self) -> None:
        """Have every worker stop after the match that it is in."""
        self._stop.value = True

    def kill(self) -> None:
        """End all workers at once, and every process that their bots have left; the next chunk starts new ones.

        Every future has ended afterwards, or never will.
        """
        if self._executor is None:
            return
        workers = list(multiprocessing.active_children())
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.join()
        _unblock(self._executor)
        thread = _thread(self._executor)
        self._executor.shutdown(wait=thread is None or thread.ident is not None, cancel_futures=True)
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


def _thread(executor: ProcessPoolExecutor | None) -> threading.Thread | None:
    """Return the executor's own thread, which may have failed to start; None while it has none."""
    thread: Any = None if executor is None else executor._executor_manager_thread  # private, and the only way
    return cast(threading.Thread | None, thread)


def _unblock(executor: ProcessPoolExecutor) -> None:
    """Let the executor's thread see the end of what its killed workers wrote.

    We hold the writing end of its pipe too, so that half a result of a worker killed in the middle of it would
    otherwise be waited for without end.
    """
    executor._result_queue._writer.close()  # type: ignore[attr-defined]  # private, and the only way


def _uninstall_logging(*, broken: bool) -> None:
    """Give the root logger its own handlers back, after what workers have logged.

    A worker killed while it logs leaves a queue nobody can join.
    """
    wrapped = [
        handler
        for handler in logging.getLogger().handlers
        if isinstance(handler, multiprocessing_logging.MultiProcessingHandler)
    ]
    multiprocessing_logging.uninstall_mp_handler()
    for handler in wrapped:
        if broken:
            handler.queue.cancel_join_thread()
        handler.close()
