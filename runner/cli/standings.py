"""`ohhell standings`: shows what a run has come to."""

import json
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from runner.cli import COMMANDS
from runner.terminal import console
from runner.terminal.standings import fault_lines, standings_table, times_table
from runner.text import escape
from runner.tournament.results import Results, compute_results
from runner.tournament.run import read_run
from runner.tournament.times import RunTimes, compute_times

EPILOG = """\b
Example:
  ohhell standings runs/quickstart --json
"""


@click.command(short_help=COMMANDS["standings"], epilog=EPILOG)
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON, version 1, the same bytes for the same results.")
@click.option("--times", is_flag=True, help="Add decision times and void attempts.")
def command(directory: Path, *, as_json: bool, times: bool) -> None:
    """Show the standings of the run in DIRECTORY, also while it is being played."""
    with read_run(directory) as (store, plan):
        results = compute_results(store, plan)
        run_times = compute_times(store, plan) if times else None
    if as_json:
        click.echo(json.dumps(_to_mapping(results, run_times), indent=1))
        return
    shown = console.out()
    if results.played < results.scheduled:
        shown.print(Text(f"{results.played:,} of {results.scheduled:,} matches are played."))
    shown.print(standings_table(results.standings))
    for line in fault_lines(results, escape(str(directory))):
        shown.print(line, soft_wrap=not shown.is_terminal)
    if run_times is not None:
        done = results.played == results.scheduled and run_times.finished
        finished = f"finished {run_times.finished}" if done else "not finished"
        shown.print(Text(f"\nStarted {run_times.started or 'unknown'}, {finished} (UTC)."))
        shown.print(times_table(results.standings, run_times))


def _to_mapping(results: Results, times: RunTimes | None) -> dict[str, Any]:
    """Return the JSON; with `times` the run has dates, and every line `times`."""
    mapping = results.to_mapping()
    if times is not None:
        mapping["run"] |= {"started": times.started, "finished": times.finished}
        for line in mapping["standings"]:
            line["times"] = times.of(line["id"])
    return mapping
