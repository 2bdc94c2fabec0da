"""A match as it is played, a row for each hand, and its result."""

from collections.abc import Collection, Iterator, Sequence

from rich.table import Table
from rich.text import Text

from runner.game.deal import GameDeal
from runner.game.series import HandResult
from runner.table.results import FaultRecord, MatchResult
from runner.table.summary import summarize
from runner.terminal.cards import Face
from runner.terminal.faults import fault_lines, fault_place
from runner.terminal.layout import shorten

_LEFT = 17  # columns of hand, cards and trump
_CELL = 15  # columns of a seat on one line: bid/won, points, total
_LEAST = 8  # columns of a seat, however narrow the terminal: bid/won, points
STAND_IN = "A stand-in, which moves at random, plays for it in the rest of the match, with its name in brackets."
LEGEND = "A seat's columns: bid/tricks won, points, total."


class MatchRows:
    """Rows of a game's hands; where the seats do not fit beside each other, totals stand on a line of their own."""

    def __init__(self, face: Face, deal: GameDeal, players: int, width: int) -> None:
        self._face = face
        self._deal = deal
        self._players = players
        self._stacked = _LEFT + players * _CELL > width
        self._cell = max(_LEAST, (width - _LEFT) // players) if self._stacked else _CELL

    def heading(self, rotation: int, seated: Sequence[str], out: Collection[str]) -> Iterator[Text]:
        """Yield the lines above a game's hands: who sits at which seat; `out` are those with a stand-in."""
        yield Text(f"Game {rotation}", style="bold")
        line = Text(f"{'hand':>4}{'cards':>6}{'trump':>6} ", style="dim")
        for seat, entrant in enumerate(seated):
            name = f"({seat} {entrant})" if entrant in out else f"{seat} {entrant}"
            line.append(f"{shorten(name, self._cell - 1):>{self._cell}}", style="not dim bold")
        yield line

    def hand(self, result: HandResult) -> Iterator[Text]:
        """Yield a hand's row: bid/won, points and the total by seat."""
        line = Text(f"{result.number:>4}{result.size:>6}    ")
        line.append_text(self._trump(result)).append(" ")
        below = Text(f"{'total':>{_LEFT - 1}} ", style="dim")
        for seat in range(self._players):
            bid, won = result.bids[seat], result.won[seat]
            points = result.points[seat]
            cell = f"{bid}/{won} {f'{points:+d}' if points else '0':>3}"
            total = f"{result.totals[seat]:>5}"
            width = self._cell if self._stacked else self._cell - len(total)
            line.append(f"{cell:>{width}}", style="green" if bid == won else "red")
            if self._stacked:
                below.append(f"{total:>{self._cell}}")
            else:
                line.append(total)
        yield line
        if self._stacked:
            yield below

    def _trump(self, result: HandResult) -> Text:
        turned = self._deal.hands[result.number].turned
        if turned is not None:
            return self._face.card(turned)
        return Text(" ") + self._face.suit(result.trump) if result.trump else Text(" –")


def fault_block(fault: FaultRecord) -> Iterator[Text]:
    """Yield what is told of a fault when it happens."""
    yield Text(f"fault of {fault.entrant}: {fault_place(fault)}", style="bold red")
    yield from fault_lines(fault)
    yield Text(f"  {STAND_IN}")


def result_table(result: MatchResult) -> Table:
    """Return the result of a match: rank, entrant, total, the games it is the sum of, bids made."""
    summary = summarize(result)
    players = len(result.seats)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rank", justify="right")
    table.add_column("entrant", overflow="fold")
    table.add_column("total", justify="right")
    for game in result.games:
        table.add_column(f"game {game.rotation}" if players <= 5 else str(game.rotation), justify="right")
    table.add_column("bids made", justify="right", no_wrap=True)
    faulted = any(seat.stand_in for seat in result.seats)
    if faulted:
        table.add_column("fault")
    rows = enumerate(zip(result.seats, summary.seats, strict=True))
    for index, (seat, short) in sorted(rows, key=lambda row: (row[1][0].rank, row[0])):
        cells = [str(seat.rank), seat.entrant, str(seat.total)]
        cells += [str(game.totals[(index + game.rotation) % players]) for game in result.games]
        cells.append("–" if seat.stand_in else f"{short.bids_made / summary.hands:.0%}")
        if faulted:
            cells.append(", ".join(short.faults))
        table.add_row(*map(Text, cells), style="red" if seat.stand_in else "bold" if seat.rank == 1 else "")
    return table
