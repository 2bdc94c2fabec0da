"""`ohhell run`: plays a tournament file to final standings."""

import logging
import os
import sys
import threading
from pathlib import Path

import click
from rich.console import Console

from runner import data
from runner.cli import COMMANDS, EXIT_STOPPED
from runner.store.errors import sound
from runner.terminal import console
from runner.terminal.progress import ConsoleHandler, Tally, progress
from runner.terminal.standings import fault_lines, standings_table
from runner.text import escape, plural
from runner.tournament.config import load_tournament
from runner.tournament.play import Outcome, Step, play
from runner.tournament.results import compute_results, store_checkpoint, store_schedule
from runner.tournament.run import Run, note_end, open_run

EPILOG = """\b
Example:
  ohhell run tournaments/quickstart.yaml
"""


@click.command(short_help=COMMANDS["run"], epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--workers", type=click.IntRange(1, 1024), help="Worker processes.  [default: the file's, else the cores]"
)
@click.option("--out", type=click.Path(path_type=Path), help="The run's directory.  [default: runs/NAME, here]")
@click.option("--dry-run", is_flag=True, help="Only say what would be played, with an estimate of time and disk.")
def command(file: Path, workers: int | None, out: Path | None, *, dry_run: bool) -> None:
    """Play the tournament of FILE and print its standings.

    What has been played is kept: running the same file again plays only what is missing, after an interruption, an
    edited bot or an added entrant.
    """
    tournament = load_tournament(_found(file))
    directory = out or Path("runs") / tournament.name
    told = console.err()
    if dry_run:
        from runner.cli.dry_run import print_estimate  # noqa: PLC0415 - only a dry run needs it

        print_estimate(tournament, directory, workers or tournament.workers)
        return
    with open_run(tournament, directory) as run:
        for note in run.notes:
            console.remark(told, f"note: {escape(note)}")
        store_schedule(run.store, run.plan, run.known)
        outcome = _play(run, workers or tournament.workers, told)
        if outcome.played:
            note_end(run.store)
            store_schedule(run.store, run.plan, run.known)  # which disqualifications may have changed
        with sound(run.store.path):
            results = compute_results(run.store, run.plan)
        store_checkpoint(run.store, results)
    where = escape(str(directory))
    shown = console.out()
    shown.print(standings_table(results.standings))
    for line in fault_lines(results, where):
        shown.print(line, soft_wrap=not shown.is_terminal)
    console.remark(told, f"Results are in {where}. See them again: ohhell standings {where}")
    if outcome.left_out:
        console.remark(told, _left_out(outcome), "red")
        sys.exit(EXIT_STOPPED)


def _found(file: Path) -> Path:
    """Return `file`; outside a checkout tournaments/NAME is the one that ships with the runner."""
    shipped = data.tournaments_dir() / file.name
    return shipped if file.parent == Path("tournaments") and not file.exists() and shipped.is_file() else file


def _play(run: Run, workers: int, told: Console) -> Outcome:
    plan = run.plan
    total = len(plan.schedule)
    done = _stored(run)
    console.remark(told, _headline(run, total))
    if done == total:
        console.remark(told, f"All {plural(total, 'match', 'matches')} are stored: nothing to play.")
        return Outcome()
    if done:
        console.remark(told, f"{plural(done, 'match is', 'matches are')} stored; {total - done:,} to play.")
    tally = Tally(done, total)
    root = logging.getLogger()
    handler = ConsoleHandler(told)
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    if not os.environ.get("OHHELL_DEBUG"):
        # A thread that fails is missed by the loop, which says why; a record that cannot be shown is no loss.
        threading.excepthook = lambda _: None
        logging.raiseExceptions = False
    try:
        with progress(told, tally) as shown:

            def watch(step: Step) -> None:
                tally.add(step.results, step.missing)
                shown.update()

            return play(plan, run.store, run.known, run.launches, workers, watch)
    except KeyboardInterrupt:
        console.remark(
            told, f"Interrupted: {_stored(run):,} of {total:,} matches are stored. Run the same command to go on."
        )
        raise
    finally:
        root.removeHandler(handler)


def _stored(run: Run) -> int:
    return sum(match.key in run.known for match in run.plan.matches(run.known.faulted))


def _headline(run: Run, total: int) -> str:
    terms, schedule = run.plan.terms, run.plan.schedule
    balance = schedule.balance
    meetings = (
        f"every pair meets {plural(balance.least_meetings, 'time')}"
        if balance.least_meetings == balance.most_meetings
        else f"pairs meet {balance.least_meetings} to {balance.most_meetings} times"
    )
    seed = "a guessable seed, for practice only" if terms.guessable_seed else "a seed that cannot be guessed"
    return (
        f"{escape(terms.name)}: {plural(len(terms.entrants), 'entrant')} at tables of {terms.table}, "
        f"{schedule.kind} schedule, {plural(total, 'match', 'matches')} of {run.plan.games_a_match} games; {meetings}. "
        f"Isolation: {terms.isolation} only. Deals from {seed}."
    )


def _left_out(outcome: Outcome) -> str:
    names = ", ".join(f"{match.deal} ({' '.join(match.entrants)})" for match in outcome.left_out)
    return f"Left out, because every attempt ended with a dead worker: {names}. The next run tries them again."
