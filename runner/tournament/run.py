"""A run's directory: made ready from a tournament file, or opened to be read.

run.sqlite    the results and the terms they were played on
snapshots/    the bots that were run, read-only, each named by its hash
scratch/      the running bots' own directories; gone when nothing runs
"""

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from runner.entrant.errors import EntrantError
from runner.entrant.launch import Launch
from runner.entrant.remove import discard_tree
from runner.entrant.snapshot import Snapshot, take_snapshot
from runner.entrant.tree import sweep_leftovers
from runner.game.stream import SEED_BYTES, parse_seed
from runner.source.problems import START, Problem
from runner.store.database import FILE_NAME
from runner.store.errors import StoreError, told
from runner.store.lock import RunLock
from runner.store.store import Store, StoredEntrant
from runner.text import escape, plural
from runner.tournament.config import Tournament
from runner.tournament.entrants import HOUSE_BOT, Entrant, house_entrants
from runner.tournament.known import Known
from runner.tournament.plan import Plan, Terms
from runner.tournament.problems import ConfigError

ISOLATION = "limits"  # the level that bots run at: own session, exact environment, no more


@dataclass(frozen=True, slots=True)
class Run:
    """A run ready to be played. `notes` are for a person to see before it starts."""

    directory: Path
    store: Store
    plan: Plan
    known: Known
    launches: Mapping[str, Launch]
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Ready:
    """Entrants that can be started, with their snapshots."""

    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    entrants: dict[str, Entrant] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@contextmanager
def open_run(tournament: Tournament, directory: Path) -> Iterator[Run]:
    """Make `directory` ready for `tournament` and hold it until the end of the block.

    Takes a snapshot of every bot and builds it. Raises `ConfigError` if a bot cannot be started and the file says to
    refuse, `StoreError` if the directory is another tournament's, in use, or cannot be written to; in all of these
    cases nothing that was stored is changed.
    """
    tournament.refuse_broken()
    with RunLock(directory):
        _check_directory(directory)
        notes = _clear_leftovers(directory)
        with Store.create_or_open(directory) as store:
            _refuse_another(tournament, store)
            with told(directory):
                ready = _take_snapshots(tournament, directory / "snapshots")
            _settle(tournament, store)
            store.see_entrants([_stored(entrant, ready.snapshots[one]) for one, entrant in ready.entrants.items()])
            order = tuple(one.id for one in store.entrants() if one.id in ready.entrants)
            terms = _terms(tournament, store, ready, order)
            store.set("terms", msgspec.json.encode(terms).decode())
            launches = {
                one: Launch(one, snapshot.command, snapshot.directory, directory / "scratch")
                for one, snapshot in ready.snapshots.items()
            }
            try:
                yield Run(directory, store, Plan(terms), Known(store), launches, tuple(notes + ready.notes))
            finally:
                discard_tree(directory / "scratch")


@contextmanager
def read_run(directory: Path) -> Iterator[tuple[Store, Plan]]:
    """Open the run in `directory` to read; it may be in play, or in a read-only place. Raises `StoreError`."""
    with Store.open_readonly(directory) as store:
        terms = store.get("terms")
        if terms is None:
            raise StoreError(f"{escape(str(directory))} has no tournament in it yet. Run one into it first.")
        try:
            plan = Plan(msgspec.json.decode(terms, type=Terms))
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"{escape(str(directory))} was written by a version of the runner with other terms ({error}). "
                "Read it with that version."
            ) from None
        yield store, plan


def note_end(store: Store) -> None:
    """Note that the last of the matches has just been played."""
    store.set("finished", _now())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _refuse_another(tournament: Tournament, store: Store) -> None:
    """Raise `StoreError` if the directory is another tournament's; nothing is settled before all bots are ready."""
    store.refuse_another("name", tournament.name)
    if tournament.seed is not None:
        store.refuse_another("seed", tournament.seed.bytes_.hex())


def _settle(tournament: Tournament, store: Store) -> None:
    """Store what makes the tournament this one, if it is not yet."""
    seed = tournament.seed or parse_seed(store.get("seed") or secrets.token_hex(SEED_BYTES))
    store.claim("name", tournament.name)
    store.claim("seed", seed.bytes_.hex())
    if store.get("started") is None:
        store.set("started", _now())
    store.set("guessable_seed", json.dumps(seed.guessable or store.get("guessable_seed") == "true"))


def _check_directory(directory: Path) -> None:
    if not (directory / FILE_NAME).exists() and any(directory.iterdir()):
        raise StoreError(
            f"{escape(str(directory))} has other files in it and no run. Name a new or empty directory with --out."
        )


def _clear_leftovers(directory: Path) -> list[str]:
    scratch = directory / "scratch"
    ended = sweep_leftovers(scratch)
    discard_tree(scratch)
    for unfinished in (directory / "snapshots").glob(".*.tmp"):
        discard_tree(unfinished)
    if not ended:
        return []
    return [f"{plural(ended, 'leftover process', 'leftover processes')} of an earlier run into this directory ended."]


def _take_snapshots(tournament: Tournament, into: Path) -> _Ready:
    """Return who can play; the house fills up the table for those who turn out to be broken only when built."""
    ready = _Ready(notes=list(tournament.notes))
    problems = list(tournament.broken)
    for entrant in tournament.playing:
        if not entrant.is_house:
            _add(entrant, into, ready, problems)
    if problems and (tournament.faults.broken == "refuse" or not ready.entrants):
        raise ConfigError(tournament.path, problems)
    ready.notes += [f"left out: {problem.sentence}" for problem in problems]
    house = house_entrants(tournament.table - len(ready.entrants))
    for entrant in house:
        _add(entrant, into, ready, problems)
    if house:
        bots, fill = (
            ("bot", "fills up the table, and is") if len(house) == 1 else ("bots", "fill up the table, and are")
        )
        ready.notes.append(f"{len(house)} house {bots} ({HOUSE_BOT}) {fill} not ranked.")
    return ready


def _add(entrant: Entrant, into: Path, ready: _Ready, problems: list[Problem]) -> None:
    assert not isinstance(entrant.bot, EntrantError), "`Tournament.playing` has only those that could be loaded"
    try:
        ready.snapshots[entrant.id] = take_snapshot(entrant.bot, into)
    except EntrantError as error:
        problems.append(Problem(entrant.place or START, f"The entrant `{entrant.id}` cannot be started: {error}"))
    else:
        ready.entrants[entrant.id] = entrant


def _stored(entrant: Entrant, snapshot: Snapshot) -> StoredEntrant:
    assert not isinstance(entrant.bot, EntrantError)
    manifest = entrant.bot.manifest
    return StoredEntrant(entrant.id, manifest.name or entrant.id, snapshot.hash, msgspec.json.encode(manifest).decode())


def _terms(tournament: Tournament, store: Store, ready: _Ready, order: tuple[str, ...]) -> Terms:
    seed = store.get("seed")
    assert seed is not None
    fresh = tuple(
        one
        for one in order
        if tournament.restart != "never" or _manifest_restart(ready.entrants[one]) not in (None, "never")
    )
    shown = tournament.opponents == "shown"
    return Terms(
        name=tournament.name,
        seed=seed,
        guessable_seed=store.get("guessable_seed") == "true",
        rules=tournament.rules.to_mapping(),
        table=tournament.table,
        entrants=order,
        house=tuple(one for one in order if ready.entrants[one].is_house),
        snapshots={one: ready.snapshots[one].hash.hex() for one in order},
        fresh=fresh,
        replicates=tournament.replicates,
        matches=tournament.matches,
        full_up_to=tournament.full_up_to,
        clock=tournament.clock,
        faults=tournament.faults,
        isolation=ISOLATION,
        names={one: one for one in order} if shown else None,
        rank_by=tournament.rank_by,
    )


def _manifest_restart(entrant: Entrant) -> str | None:
    assert not isinstance(entrant.bot, EntrantError)
    return entrant.bot.manifest.restart
