"""A stored game, card by card, within 80 columns."""

from collections.abc import Callable, Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.table.results import FaultRecord
from runner.table.transcript import Act, HandTranscript, Transcript
from runner.terminal.cards import SUIT_NAMES, Face
from runner.terminal.faults import fault_lines
from runner.terminal.layout import WIDTH, indented, short_time, shorten
from runner.text import escape, plural

_LABEL = 9  # columns of "trick 10" and the like
_WIDEST_CELL = 18
_NAME = 16  # columns of a name beside cards: 17 cards take 50
LEGEND = """\
> led or bid first   * won the trick   (s) moved by a stand-in
Times are what a bot was charged; without a time there was nothing to decide."""


class ReplayView:
    """Prints hands of one game; a seat has a column, whose width depends on how many there are."""

    def __init__(self, console: Console, game: Transcript) -> None:
        self._console = console
        self._face = Face(console)
        self._game = game
        self._players = len(game.seated)
        self._cell = min(_WIDEST_CELL, (WIDTH - _LABEL) // self._players)

    def start(self) -> None:
        """Print who sits where, and who could not begin."""
        for seat, entrant in enumerate(self._game.seated):
            stood_in = f"  (stand-in from the first card: {self._why_absent(entrant)})"
            self._print(Text(f"  {seat} {entrant}{stood_in if seat in self._game.absent else ''}"))
        self._faults(self._game.start_faults, "before its first request")
        self._print(Text(LEGEND, style="dim"))

    def hand(self, hand: HandTranscript) -> None:
        """Print a hand: cards, bids, tricks, points."""
        self._print(Text())
        self._print(self._title(hand))
        for seat, cards in enumerate(hand.cards):
            name = shorten(self._name(seat), _NAME)
            self._print(Text(f"  {name:<{_NAME}}  ") + self._face.cards(cards))
        self._print(Text())
        names = (shorten(self._name(seat), self._cell - 1) for seat in range(self._players))
        heading = Text(" " * _LABEL + "".join(f" {name:<{self._cell - 1}}" for name in names), style="bold")
        heading.rstrip()
        self._print(heading)
        self._row("bid", hand.bids, lambda act: Text(f"{act.value:<2}"), None)
        for number, (acts, trick) in enumerate(zip(hand.plays, hand.result.tricks, strict=True), 1):
            self._row(f"trick {number}", acts, lambda act: self._face.card(act.value), trick.winner)  # type: ignore[arg-type]  # a play's value is a card
        self._sums(hand)

    def end(self) -> None:
        """Print how the game ended."""
        game = self._game
        self._faults(game.end_faults, "seen when the game was over")
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("rank", justify="right")
        table.add_column("entrant", overflow="fold")
        table.add_column("total", justify="right")
        for seat in sorted(range(self._players), key=lambda seat: (game.ended.ranks[seat], seat)):
            table.add_row(str(game.ended.ranks[seat]), Text(game.seated[seat]), str(game.ended.totals[seat]))
        self._print(Text("\nThe game's end", style="bold"))
        self._console.print(table)
        if game.notes_dropped:
            self._print(Text(f"{plural(game.notes_dropped, 'character')} of notes beyond the limit were not kept."))

    def _why_absent(self, entrant: str) -> str:
        game = self._game
        if any(fault.entrant == entrant for fault in game.start_faults):
            return "see below"
        for fault in game.earlier_faults:
            if fault.entrant == entrant:
                return f"its fault was in rotation {fault.rotation}"
        return "disqualified before"

    def _faults(self, faults: tuple[FaultRecord, ...], when: str) -> None:
        for fault in faults:
            self._print(Text(f"fault of {self._name(fault.seat)}, {when}", style="bold red"))
            self._print_all(fault_lines(fault))

    def _title(self, hand: HandTranscript) -> Text:
        result = hand.result
        title = Text(f"Hand {result.number} · {plural(result.size, 'card')} · ", style="bold")
        if hand.turned is not None:
            title.append_text(self._face.card(hand.turned)).append(" turned up, ")
        title.append(f"{SUIT_NAMES[result.trump]} are trump" if result.trump else "no trump")
        title.append(f" · {self._name(hand.dealer)} deals")
        if hand.blind:
            title.append(" · blind: each sees the others' cards, not its own")
        return title

    def _row(self, label: str, acts: tuple[Act, ...], face: Callable[[Act], Text], winner: int | None) -> None:
        """Print what every seat did, then the remarks on it."""
        line = Text(f"{label:<{_LABEL}}")
        first = acts[0].seat
        for act in sorted(acts, key=lambda act: act.seat):
            cell = Text(">" if act.seat == first else " ")
            cell.append_text(face(act)).append("*" if act.seat == winner else " ", style="bold")
            if act.seat == winner:
                cell.stylize("bold reverse", 1, 3)
            if act.stand_in:
                cell.append(" (s)", style="red")
            elif act.time_us is not None:
                cell.append(f" {short_time(act.time_us)}", style="dim")
            cell.pad_right(max(0, self._cell - len(cell)))
            line.append_text(cell)
        line.rstrip()
        self._print(line)
        for act in acts:
            self._remarks(act)

    def _remarks(self, act: Act) -> None:
        """Print what a bot noted, how it changed its bid, and its fault."""
        said = [decision.bid for decision in act.decisions if decision.bid is not None]
        if len(said) > 1:
            self._remark(act.seat, f"bid {', then '.join(map(str, said))}", "")
        for decision in act.decisions:
            if decision.note:
                self._remark(act.seat, f"“{escape(decision.note)}”", "italic")
            if decision.fault is not None:
                fault = decision.fault
                self._remark(act.seat, f"fault at decision {fault.decision}: stand-in from here", "bold red")
                self._print_all(fault_lines(fault, " " * (_LABEL + 3)))

    def _remark(self, seat: int, text: str, style: str) -> None:
        indent = " " * (_LABEL + 1)
        for line in indented(f"{self._name(seat)}: {text}", indent, "  "):
            self._print(Text(line, style=style))

    def _sums(self, hand: HandTranscript) -> None:
        result = hand.result
        made = [bid == won for bid, won in zip(result.bids, result.won, strict=True)]
        rows = {
            "won": [f"{won} of {bid}" for bid, won in zip(result.bids, result.won, strict=True)],
            "points": [f"{points:+d}" if points else "0" for points in result.points],
            "total": [str(total) for total in result.totals],
        }
        for label, cells in rows.items():
            line = Text(f"{label:<{_LABEL}}")
            for cell, right in zip(cells, made, strict=True):
                style = "" if label == "total" else "green" if right else "red"
                line.append(f" {cell:<{self._cell - 1}}", style=style)
            line.rstrip()
            self._print(line)

    def _name(self, seat: int) -> str:
        return f"{seat} {self._game.seated[seat]}"

    def _print(self, line: Text) -> None:
        self._console.print(line)

    def _print_all(self, lines: Iterator[Text]) -> None:
        for line in lines:
            self._print(line)
