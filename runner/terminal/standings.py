"""The standings as a table for a person, and what the faults in them were."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from runner.ratings.standings import Standing, Standings
from runner.terminal.layout import indented, short_time
from runner.text import escape
from runner.tournament.results import Results
from runner.tournament.times import RunTimes

_NOT_RANKED = "–"


def standings_table(standings: Standings) -> Table:
    """Return the table: place, entrant, adjusted score, points, TrueSkill, bids made, matches, stand-ins."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("#", justify="right")
    table.add_column("entrant", overflow="fold")
    for name in ("adjusted", "points/game", "TrueSkill", "bids made", "matches"):
        table.add_column(name, justify="right", no_wrap=True)
    trouble = any(line.stand_in_matches for line in standings.lines)
    if trouble:
        table.add_column("stood in", justify="right")
    for line in standings.lines:
        cells: list[Text] = [
            Text(_NOT_RANKED if line.place is None else str(line.place)),
            Text(escape(line.id), style="bold" if line.place == 1 else ""),
            Text(_number(line.adjusted, "+.2f")),
            Text(_number(line.points_per_game, ".2f")),
            Text(_skill(line)),
            Text(_number(line.bids_made, ".1%")),
            Text(f"{line.matches:,}"),
        ]
        if trouble:
            cells.append(Text(f"{line.stand_in_matches:,}" if line.stand_in_matches else "", style="red"))
        table.add_row(*cells, style="dim" if line.place is None else "")
    return table


def fault_lines(results: Results, directory: str) -> Iterator[Text]:
    """Yield who faulted, how often and how first, and how to see more of it; nothing where nobody did."""
    game = None
    for line in results.standings.lines:
        if line.id not in results.first_faults:
            continue
        if game is None:
            yield Text("\nFaults, and the first of each", style="bold")
        deal, fault = results.first_faults[line.id]
        game = f"{deal}/{fault.rotation}"
        told = f"{line.id}: {_faults(line)}. Game {game}, {fault.when}: {fault.kind}: {fault.detail}"
        for each in indented(escape(told), "", "  "):
            yield Text(each, style="red")
    if game is not None:
        yield Text(f"A game with its faults, and what the bots wrote: ohhell replay {directory} {game}")


def times_table(standings: Standings, times: RunTimes) -> Table:
    """Return the decision times as charged, half and 99 % of which were no longer, and void attempts, by entrant."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("entrant", overflow="fold")
    for name in ("decisions", "median", "99 %", "void attempts"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in standings.lines:
        found = times.decisions.get(line.id)
        table.add_row(
            Text(escape(line.id)),
            f"{found.decisions:,}" if found else "0",
            short_time(found.median) if found else _NOT_RANKED,
            short_time(found.p99) if found else _NOT_RANKED,
            str(times.voids.get(line.id, 0)),
        )
    return table


def _number(value: float | None, form: str) -> str:
    return _NOT_RANKED if value is None else format(value, form)


def _skill(line: Standing) -> str:
    return _NOT_RANKED if line.mu is None else f"{line.mu:+.1f} ±{line.sigma:.1f}"


def _faults(line: Standing) -> str:
    faults = ", ".join(f"{count:,} {kind}" for kind, count in line.faults.items())
    return f"{faults}, disqualified" if line.disqualified else faults
