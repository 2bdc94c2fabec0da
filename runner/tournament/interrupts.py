"""Ctrl-C and its kin, noted while a run is in play and acted upon where nothing can be lost."""

import signal
from types import FrameType, TracebackType
from typing import Any, Self

# Windows has no SIGHUP, and has to get as far as being told that it is not supported.
SIGNALS = tuple(one for one in signal.Signals if one.name in ("SIGINT", "SIGTERM", "SIGHUP"))


def asked_for() -> tuple[signal.Signals, ...]:
    """Return those of `SIGNALS` that end a command: not what whoever started it has it ignore, as `nohup` does."""
    return tuple(number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN)


class Interrupts:
    """Within its block SIGINT, SIGTERM and SIGHUP are only counted, in `count`; main thread only.

    An exception in the middle of starting workers or writing results could leave processes or locks behind. Whoever
    uses the block looks at `count` or calls `check`; what was noted too late for that is raised at the end. After an
    interrupt there is only clearing up left, which no further signal breaks off: they stay without effect.
    """

    def __init__(self) -> None:
        self.count = 0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._note) for number in asked_for()}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            if not self.count:
                signal.signal(number, handler)
        if kind is None:
            self.check()

    def check(self) -> None:
        """Raise `KeyboardInterrupt` if there was a signal."""
        if self.count:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
