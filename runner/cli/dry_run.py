"""`ohhell run --dry-run`: says what a run would play, how long it would take and how much it would store."""

from pathlib import Path

import click

from runner.terminal.progress import duration
from runner.text import escape, plural
from runner.tournament.config import Tournament
from runner.tournament.trial import START_BYTES, try_out


def print_estimate(tournament: Tournament, directory: Path, workers: int) -> None:
    """Play a short trial and print what it leads to expect; nothing is kept."""
    trial, schedule = try_out(tournament)
    total = len(schedule)
    games = total * tournament.table
    seconds = total * trial.seconds_a_match / workers
    balance = schedule.balance
    for note in trial.notes:
        click.echo(f"note       {escape(note)}")
    tables = _between(balance.least_tables, balance.most_tables)
    played = plural(trial.matches, "trial match", "trial matches")
    click.echo(f"name       {escape(tournament.name)}")
    click.echo(f"directory  {escape(str(directory))}")
    click.echo(f"entrants   {', '.join(schedule.entrants)}")
    click.echo(f"schedule   {schedule.kind}, {plural(tournament.replicates, 'replicate')}")
    click.echo(f"tables     {total:,} of {tournament.table}; an entrant sits at {tables}")
    times = "time" if balance.most_meetings == 1 else "times"
    click.echo(f"pairs      meet {_between(balance.least_meetings, balance.most_meetings)} {times}")
    click.echo(f"games      {games:,} of {len(tournament.game_rules.sizes)} hands")
    click.echo(f"time       about {duration(seconds)} with {plural(workers, 'worker')} (from {played})")
    click.echo(f"disk       about {(START_BYTES + total * trial.bytes_a_match) / 1e6:.1f} MB")


def _between(least: int, most: int) -> str:
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
