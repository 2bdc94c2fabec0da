"""How a run is going: a live display on a terminal, a line now and then elsewhere."""

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from runner.table.results import MatchResult
from runner.terminal.console import remark
from runner.text import escape, plural

LINE_SECONDS = 10.0  # between two lines where there is no terminal
LEADERS = 3  # are named
FAULTS_SHOWN = 5  # of one entrant, one by one; more of them are counted only
_RATE_WEIGHT = 0.2  # of the newest interval in the matches a second that are shown


class Tally:
    """Running figures of a run. A leader's figure is its mean points a game above the mean of its tables."""

    def __init__(self, done: int, total: int) -> None:
        self.done = done
        self.total = total
        self.faults = 0
        self._played = 0
        self._began = time.monotonic()
        self._ahead: defaultdict[str, float] = defaultdict(float)
        self._matches: Counter[str] = Counter()

    def add(self, results: Iterable[MatchResult], missing: int) -> None:
        """Count matches that have just been played; a disqualification may have added to those that are `missing`."""
        self.done = self.total - missing
        for result in results:
            self._played += 1
            self.faults += len(result.faults)
            size = len(result.seats)
            mean = sum(seat.total for seat in result.seats) / size
            for seat in result.seats:
                self._ahead[seat.entrant] += (seat.total - mean) / size
                self._matches[seat.entrant] += 1

    @property
    def matches_a_second(self) -> float:
        """Return the rate since the start."""
        return self._played / max(time.monotonic() - self._began, 1e-9)

    @property
    def left(self) -> str:
        """Return the time left in words."""
        if not self._played:
            return "time left unknown"
        seconds = (self.total - self.done) / self.matches_a_second
        return f"{duration(seconds)} left" if self.done < self.total else f"{duration(self.elapsed)} in all"

    @property
    def elapsed(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._began

    def leaders(self) -> list[tuple[str, float]]:
        """Return the entrants ahead so far, best first."""
        means = {one: self._ahead[one] / played for one, played in self._matches.items()}
        return sorted(means.items(), key=lambda pair: (-pair[1], pair[0]))[:LEADERS]

    def status(self) -> str:
        """Return rate, time left and faults on one line."""
        faults = plural(self.faults, "fault") if self.faults else "no faults"
        return f"{self.matches_a_second:.1f} matches/s · {self.left} · {faults}"


def duration(seconds: float) -> str:
    """Return a length of time as a person says it: "0.4 s", "42 s", "7 min", "3 h 20 min"."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


class LiveProgress:
    """A bar, the figures and the leaders, kept up to date on a terminal; one that has gone does not end a run."""

    def __init__(self, console: Console, tally: Tally) -> None:
        self._tally = tally
        self._bar = Progress(
            TextColumn("{task.percentage:>3.0f}%"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("matches"),
            console=console,
            expand=True,
        )
        self._task = self._bar.add_task("", total=tally.total, completed=tally.done)
        self._live = Live(self._render(), console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        with suppress(OSError):
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._live.stop()

    def update(self) -> None:
        """Show the tally as it stands."""
        self._bar.update(self._task, completed=self._tally.done, total=self._tally.total)
        with suppress(OSError):
            self._live.update(self._render(), refresh=True)

    def _render(self) -> Group:
        leaders = "  ".join(f"{escape(one)} {ahead:+.1f}" for one, ahead in self._tally.leaders())
        lines = [Text(self._tally.status(), style="dim")]
        if leaders:
            lines.append(Text(f"leading: {leaders}", no_wrap=True, overflow="ellipsis"))
        return Group(self._bar, *lines)


class PlainProgress:
    """A line every few seconds, for logs."""

    def __init__(self, console: Console, tally: Tally) -> None:
        self._console = console
        self._tally = tally
        self._due = time.monotonic() + LINE_SECONDS

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._print()

    def update(self) -> None:
        """Print a line if one is due."""
        if time.monotonic() >= self._due and self._tally.done < self._tally.total:  # the last line comes at the end
            self._due = time.monotonic() + LINE_SECONDS
            self._print()

    def _print(self) -> None:
        tally = self._tally
        remark(self._console, f"{tally.done:,} of {tally.total:,} matches · {tally.status()}")


def progress(console: Console, tally: Tally) -> LiveProgress | PlainProgress:
    """Return the display that suits the console."""
    return LiveProgress(console, tally) if console.is_terminal else PlainProgress(console, tally)


class ConsoleHandler(logging.Handler):
    """Prints log records, those of workers included, above the live display; an entrant's faults only so often."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.INFO)
        self._console = console
        self._faults: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record on one line, whatever is in it."""
        entrant = getattr(record, "entrant", None)
        if entrant is not None:
            self._faults[entrant] += 1
            if self._faults[entrant] > FAULTS_SHOWN + 1:
                return
        message = record.getMessage()
        if entrant is not None and self._faults[entrant] == FAULTS_SHOWN + 1:
            message = f"{entrant}: further faults are counted but not shown here"
        remark(self._console, escape(message), "yellow" if record.levelno >= logging.WARNING else "")
