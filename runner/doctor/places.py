"""Looks at the directories that runs are kept in and bots are run from, and at a run that is stored in one."""

import fcntl
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from runner.doctor.finding import Finding
from runner.errors import OhHellError
from runner.store.database import FILE_NAME
from runner.text import escape, plural
from runner.tournament.known import Known
from runner.tournament.run import read_run

_FREE_BYTES = 1 << 30  # below this a large run may fill the disk
_VOIDS_SHOWN = 10


def examine_place(directory: Path, called: str) -> Iterator[Finding]:
    """Yield whether runs can be kept, and bots run, below `directory`; `called` says what it is to the person."""
    group = f"{called} {escape(str(directory))}"
    try:
        scratch = Path(tempfile.mkdtemp(prefix=".ohhell-doctor-", dir=directory))
    except OSError as error:
        advice = "What is stored here can be read; to run a tournament name another directory with --out."
        yield Finding(group, "writing", "note", escape(error.strerror or str(error)), advice)
        return
    try:
        yield Finding(group, "file system", "ok", f"{_file_system(directory)}, can be written to")
        yield _space(group, directory)
        yield _lock(group, scratch)
        yield _journal(group, scratch)
        yield _programs(group, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _file_system(directory: Path) -> str:
    """Return the type of the file system that holds `directory`, where the system tells it."""
    real = os.path.realpath(directory)
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    except OSError:
        return "type unknown"
    above = [fields for fields in mounts if f"{real}/".startswith(f"{fields[1].rstrip('/')}/")]
    return max(above, key=lambda fields: len(fields[1]))[2] if above else "type unknown"


def _space(group: str, directory: Path) -> Finding:
    free = shutil.disk_usage(directory).free
    found = f"{free / 1e9:,.1f} GB free"
    if free < _FREE_BYTES:
        return Finding(group, "space", "note", found, "See what a run will need: ohhell run FILE --dry-run.")
    return Finding(group, "space", "ok", found)


def _lock(group: str, scratch: Path) -> Finding:
    fd = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        found = f"directories cannot be locked ({error.strerror})"
        return Finding(group, "lock", "note", found, "A file run.lock is locked in place of it.")
    finally:
        os.close(fd)
    return Finding(group, "lock", "ok", "a second run into the same directory is kept out")


def _journal(group: str, scratch: Path) -> Finding:
    slower = "Each step waits for the disk, and readers wait for writers: keep runs on a local disk if you can."
    try:
        with closing(sqlite3.connect(scratch / "try.sqlite")) as connection:
            mode = connection.execute("pragma journal_mode = wal").fetchone()[0]
            connection.execute("create table try(x)")
    except sqlite3.Error as error:
        return Finding(group, "SQLite journal", "note", f"no write-ahead log ({escape(str(error))})", slower)
    if mode != "wal":
        return Finding(group, "SQLite journal", "note", f"no write-ahead log (mode {escape(mode)})", slower)
    return Finding(group, "SQLite journal", "ok", "write-ahead log: can be read while a run writes")


def _programs(group: str, scratch: Path) -> Finding:
    program = scratch / "try"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o700)
    try:
        subprocess.run([program], check=True, timeout=3, stdin=subprocess.DEVNULL, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        found = f"programs kept here cannot be run ({escape(str(error), 60)})"
        advice = "Only bots that an interpreter runs can play from here: mount it without noexec, or use another place."
        return Finding(group, "programs", "note", found, advice)
    return Finding(group, "programs", "ok", "bots kept here can be run")


def examine_run(directory: Path) -> Iterator[Finding]:
    """Yield the state of the run in `directory`, if it has one."""
    if not os.path.lexists(directory / FILE_NAME):
        return
    group = "run"
    try:
        with read_run(directory) as (store, plan):
            known = Known(store)
            matches = list(plan.matches(known.faulted))
            played = sum(match.key in known for match in matches)
            voids = {match.deal: store.attempts(match.key) for match in matches}
    except OhHellError as error:
        yield Finding(group, FILE_NAME, "problem", "cannot be used", str(error))
        return
    size = (directory / FILE_NAME).stat().st_size
    found = f"{escape(plan.terms.name)}: {played:,} of {len(matches):,} matches, {size / 1e6:,.1f} MB"
    yield Finding(group, FILE_NAME, "ok", found)
    if not (spoilt := {deal: why for deal, why in voids.items() if why}):
        yield Finding(group, "void attempts", "ok", "none")
        return
    shown = [f"{deal}: {plural(len(why), 'time')} ({escape(why[-1], 80)})" for deal, why in spoilt.items()]
    more = f", and {len(shown) - _VOIDS_SHOWN:,} more" if len(shown) > _VOIDS_SHOWN else ""
    advice = "The runner's own side ended these attempts; they blame no bot and were, or will be, played again."
    yield Finding(group, "void attempts", "note", "; ".join(shown[:_VOIDS_SHOWN]) + more, advice)
