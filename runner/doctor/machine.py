"""Looks at what the runner itself needs of a machine: Python, libraries, CPUs, clocks, processes, limits."""

import fcntl
import os
import platform
import re
import resource
import sqlite3
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from runner import __version__
from runner.doctor.finding import Finding
from runner.entrant.clock import CLOCK_NAME
from runner.entrant.cpus import count_cpus, usable_cpus
from runner.entrant.pool import CAPACITY
from runner.entrant.tree import LINUX
from runner.protocol.lines import MAX_LINE_BYTES
from runner.tournament.run import ISOLATION

DISTRIBUTION = "oh-hell-runner"
_DESCRIPTORS_A_BOT = 6  # three pipes, one for the process, two of its clocks
_SPARE_DESCRIPTORS = 64
_SQLITE = (3, 30)  # the first with the aggregate filters that the views use
_COARSE_SECONDS = 1e-5


def examine_machine() -> Iterator[Finding]:
    """Yield what there is to say of the machine, whatever is to be run on it."""
    yield from _python()
    yield from _cpus()
    yield from _clocks()
    yield from _processes()


def _python() -> Iterator[Finding]:
    version = f"{platform.python_version()} ({platform.python_implementation()})"
    yield Finding("runner", "Oh Hell Runner", "ok", f"{__version__}, Python {version}, {platform.platform(terse=True)}")
    missing, present = [], []
    for requirement in metadata.requires(DISTRIBUTION) or ():
        if ";" in requirement:  # for some other purpose, or some other system
            continue
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        try:
            present.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    yield Finding("runner", "libraries", "ok", ", ".join(present))
    if missing:
        yield Finding("runner", "libraries", "problem", f"missing: {', '.join(missing)}", "Install the runner again.")
    if sqlite3.sqlite_version_info < _SQLITE:
        advice = f"Use a Python with SQLite {'.'.join(map(str, _SQLITE))} or later."
        yield Finding("runner", "SQLite", "problem", sqlite3.sqlite_version, advice)
    else:
        yield Finding("runner", "SQLite", "ok", sqlite3.sqlite_version)


def _cpus() -> Iterator[Finding]:
    usable = usable_cpus()
    count = count_cpus()
    yield Finding("CPU", "CPUs", "ok", f"{count} usable of {os.cpu_count()}: as many workers by default")
    quota = _quota()
    if quota is not None and quota < count:
        advice = f"Start with --workers {max(1, int(quota))}, or bots wait for CPU time."
        yield Finding("CPU", "quota", "note", f"the container may use {quota:g} CPUs", advice)
    if not usable:
        advice = "Messages cost several times as much when the runner and its bots are on different CPUs."
        yield Finding("CPU", "affinity", "note", "processes cannot be bound to a CPU here", advice)
    else:
        yield Finding("CPU", "affinity", "ok", "each worker and its bots share one CPU")
    load = os.getloadavg()[0]
    if load > count:
        advice = "Waiting for a CPU is not charged to bots, but everything takes longer."
        yield Finding("CPU", "load", "note", f"{load:.1f} processes want to run on {count} CPUs", advice)


def _quota() -> float | None:
    """Return how many CPUs the control group allows, None if it does not say."""
    try:
        allowed, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return int(allowed) / int(period)
    except (OSError, ValueError):
        return None


def _clocks() -> Iterator[Finding]:
    resolution = time.get_clock_info("monotonic").resolution
    if resolution > _COARSE_SECONDS:
        advice = "Times below that cannot be told apart."
        yield Finding("clock", "resolution", "note", f"{resolution * 1e6:g} µs", advice)
    else:
        yield Finding("clock", "resolution", "ok", f"{resolution * 1e9:g} ns")
    if LINUX and not _has_schedstat():
        advice = "The kernel does not tell how long a bot waited for a CPU: keep the machine idle otherwise."
        yield Finding("clock", "charged time", "note", "wall time", advice)
    elif not LINUX:
        yield Finding("clock", "charged time", "note", CLOCK_NAME, "Keep the machine idle otherwise.")
    else:
        yield Finding("clock", "charged time", "ok", CLOCK_NAME)


def _has_schedstat() -> bool:
    try:
        return any(int(field) for field in Path("/proc/self/schedstat").read_text().split())
    except (OSError, ValueError):
        return False


def _processes() -> Iterator[Finding]:
    advice = (
        "Bots run with the rights of your account: a bot can read your files and use the network. Run bots of people "
        "you do not trust under an account, or in a container, of their own."
    )
    yield Finding("bots", "isolation", "note", f"{ISOLATION} only (all that this version has)", advice)
    if LINUX:
        yield Finding("bots", "end of bots", "ok", "everything that a bot starts is found and ended")
    else:
        advice = "A bot that leaves its process group is not found: look for leftovers after a run."
        yield Finding("bots", "end of bots", "note", "a bot's process group is ended", advice)
    yield from _pipe()
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = CAPACITY * _DESCRIPTORS_A_BOT + _SPARE_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < needed:
        yield Finding("bots", "open files", "problem", f"at most {soft:,}", f"Raise the limit: ulimit -n {needed}")
    else:
        allowed = "no limit" if soft == resource.RLIM_INFINITY else f"at most {soft:,}"
        yield Finding("bots", "open files", "ok", f"{allowed}; a worker needs up to {needed}")
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    workers = count_cpus()
    if soft != resource.RLIM_INFINITY and soft < workers * CAPACITY:
        advice = f"Raise the limit (ulimit -u {workers * CAPACITY}), or use fewer workers."
        yield Finding("bots", "processes", "note", f"at most {soft:,}", advice)


def _pipe() -> Iterator[Finding]:
    if not hasattr(fcntl, "F_GETPIPE_SZ"):
        return
    reader, writer = os.pipe()
    try:
        size = fcntl.fcntl(writer, fcntl.F_GETPIPE_SZ)
    finally:
        os.close(reader)
        os.close(writer)
    if size < MAX_LINE_BYTES:
        advice = "This account holds too many pipes; the longest messages are sent in pieces."
        yield Finding("bots", "pipes", "note", f"hold {size:,} bytes", advice)
    else:
        yield Finding("bots", "pipes", "ok", f"hold {size:,} bytes: any message goes out in one write")
