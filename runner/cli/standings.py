"""`ohhell standings`: shows what a run has come to."""

import json
from pathlib import Path

import click
from rich.text import Text

from runner.cli import COMMANDS
from runner.terminal import console
from runner.terminal.standings import standings_table
from runner.tournament.results import compute_results
from runner.tournament.run import read_run

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
    if as_json:
        click.echo(json.dumps(results.to_mapping(), indent=1))
        return
    shown = console.out()
    if results.played < results.scheduled:
        shown.print(Text(f"{results.played:,} of {results.scheduled:,} matches are played."))
    shown.print(standings_table(results.standings))
