"""The CPUs that the runner and its bots may use, and the one that a process shares with the bots it talks to.

At a table only one process has anything to do at a time. On one CPU a pipe round trip costs about a tenth of what it
costs across CPUs.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager


def usable_cpus() -> tuple[int, ...]:
    """Return the CPUs that a process may be bound to; empty where the system knows no affinity."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()


def count_cpus() -> int:
    """Return the number of CPUs that this process may use."""
    return len(usable_cpus()) or os.cpu_count() or 1


def bind(cpu: int) -> None:
    """Bind this process, and what it starts from now on, to one of `usable_cpus`."""
    os.sched_setaffinity(0, {cpu})


@contextmanager
def on_one_cpu() -> Iterator[None]:
    """Bind this process to one CPU within the block, as a worker is; the bots started in it stay there."""
    cpus = usable_cpus()
    if cpus:
        bind(cpus[-1])
    try:
        yield
    finally:
        if cpus:
            os.sched_setaffinity(0, cpus)
