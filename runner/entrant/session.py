"""A bot process in conversation: handshake, ids, games one after the other, events that wait for the next request."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from runner import __version__
from runner.entrant.launch import Launch
from runner.entrant.process import BotProcess, Limit
from runner.game.cards import Card
from runner.game.view import View
from runner.protocol.events import Fact, event_messages
from runner.protocol.faults import Fault
from runner.protocol.lines import Reply, encode_line, read_bid, read_card, read_ready
from runner.protocol.messages import (
    GAME_NAME,
    PROTOCOL_VERSION,
    EventName,
    FaultNotice,
    GameStart,
    Hello,
    Quit,
    RequestBid,
    RequestPlay,
    WireClock,
)

GRACE_MS = 500  # from end of file on a bot's input to the end of its whole tree
_LARGEST_STEP = 0xFFFFFF  # ids rise by 1 … 2^24: at least 2^29 requests before they reach 2^53

_Read = Callable[[bytes, int, Sequence[int] | Sequence[Card]], Reply | Fault]

_encode_into = msgspec.json.Encoder().encode_into
_LINE_FEED = ord("\n")
_BID: tuple[Callable[..., RequestBid | RequestPlay], _Read] = (RequestBid, read_bid)
_PLAY: tuple[Callable[..., RequestBid | RequestPlay], _Read] = (RequestPlay, read_card)


@dataclass(frozen=True, slots=True)
class StartFailure:
    """A player that could not be had: its fault, and the end of its standard error."""

    fault: Fault
    stderr: bytes


def request_ids() -> Iterator[int]:
    """Yield ids for one process: rising, unique, and not to be guessed by whoever has seen some."""
    last = 0
    while True:
        for step in memoryview(os.urandom(4096)).cast("I"):
            last += (step & _LARGEST_STEP) + 1
            yield last


class Session:
    """A bot that said `ready`. `wanted` are the events that it named; `last_us` is the last answer's charged time.

    Nothing that the bot does raises: it comes back as a `Fault`, after which the session is only to be dismissed.
    """

    def __init__(self, process: BotProcess, clock: WireClock, wanted: frozenset[EventName]) -> None:
        self.wanted = wanted
        self.last_us = 0
        self.dismissed = False
        self._process = process
        self._clock = clock
        self._limit = Limit(clock.move_ms, clock.move_wall_ms)
        self._ids = request_ids()
        self._open_id: int | None = None
        self._pending: list[bytes] = []
        self._line = bytearray()  # the request in the making, kept for the next
        self._game = 0
        self._seat = 0
        self._allowance_ms = 0  # start-up time that the next request has on top
        self._free_us = 0  # of the last answer's time, neither the bid's clock nor the bank is charged this much
        self._bid_us = 0  # spent on the bid that stands
        self._bank_us: int | None = None  # left for the game

    @classmethod
    def start(cls, launch: Launch, clock: WireClock) -> "Session | StartFailure":
        """Start the bot and shake hands within `clock.start_ms`."""
        process = BotProcess.start(launch)
        if isinstance(process, Fault):
            return StartFailure(process, b"")
        line = _exchange(
            process,
            encode_line(Hello(PROTOCOL_VERSION, GAME_NAME, __version__)),
            Limit(clock.start_ms, clock.start_ms + clock.move_wall_ms),
        )
        ready = line if isinstance(line, Fault) else read_ready(line)
        if isinstance(ready, Fault):
            fault = _at_start(ready, clock)
            process.post(encode_line(FaultNotice(None, fault.kind, fault.detail)))
            process.stop(0)
            return StartFailure(fault, process.stderr_tail())
        return cls(process, clock, ready.events)

    def begin_game(self, start: GameStart) -> None:
        """Take a seat; the bot is told with its first request, which has the start-up time on top of its own."""
        clock = self._clock
        self._game += 1
        self._seat = start.seat
        self._allowance_ms = clock.start_ms
        self._bank_us = None if clock.bank_ms is None else clock.bank_ms * 1000
        self._pending.append(encode_line(msgspec.structs.replace(start, game=self._game)))

    def hear(self, fact: Fact) -> None:
        """Keep the events that `fact` is to this bot, to be sent with its next request."""
        if self.wanted and not self.dismissed:
            self._pending += map(encode_line, event_messages(fact, self._game, self._seat, self.wanted))

    def ask(self, kind: str, legal: Sequence[int] | Sequence[Card], view: View, standing: int | None) -> Reply | Fault:
        """Put a request to the bot and return its legal answer, or the fault of not having given one."""
        request_id = self._open_id = next(self._ids)
        bank_us = self._bank_us
        request, read = _BID if kind == "bid" else _PLAY
        message = request(request_id, legal, self._game, *view)
        limit = self._limit
        if standing is not None or bank_us is not None or self._allowance_ms:
            limit = self._special_limit(message, standing)
        data = self._line
        _encode_into(message, data)
        data.append(_LINE_FEED)
        if self._pending:
            data[:0] = b"".join(self._pending)
            self._pending.clear()
        process = self._process
        line = process.send(data, limit) or process.receive(limit)
        self.last_us = process.last_charged_us
        if kind == "bid" or bank_us is not None or self._free_us:
            self._spend(standing)
        if isinstance(line, Fault):
            return self._explained(line)
        answer = read(line, request_id, legal)
        if not isinstance(answer, Fault):
            self._open_id = None
        return answer

    def _special_limit(self, message: RequestBid | RequestPlay, standing: int | None) -> Limit:
        """Return the limit of a decision to which more than the time for a move applies, and say so in the request."""
        move_ms = self._clock.move_ms
        if standing is not None:  # all answers of one bid share one clock
            message.standing = standing
            move_ms -= self._bid_us // 1000
        if self._bank_us is not None:
            message.bank_ms = self._bank_us // 1000
            move_ms = min(move_ms, message.bank_ms)
        allowance_ms, self._allowance_ms = self._allowance_ms, 0
        self._free_us = allowance_ms * 1000
        return Limit(max(move_ms, 1) + allowance_ms, self._clock.move_wall_ms + allowance_ms)

    def _spend(self, standing: int | None) -> None:
        """Take the last answer's time from the bid's clock and the game's bank, less any start-up time it had."""
        spent_us = max(0, self.last_us - self._free_us)
        self._free_us = 0
        self._bid_us = spent_us if standing is None else self._bid_us + spent_us
        if self._bank_us is not None:
            self._bank_us = max(0, self._bank_us - spent_us)

    def _explained(self, fault: Fault) -> Fault:
        if fault.kind == "timeout" and self._bank_us == 0:
            return Fault("timeout", f"bank: the {self._clock.bank_ms:,} ms of the game are used up", fault.raw)
        return fault

    def check_quiet(self) -> Fault | None:
        """Return the fault of having written something unasked, if the bot has; never waits."""
        return self._process.check_quiet()

    def dismiss(self, fault: Fault) -> bytes:
        """Tell the bot of its fault, end it at once, and return the end of its standard error."""
        if not self.dismissed:
            self._process.post(encode_line(FaultNotice(self._open_id, fault.kind, fault.detail)))
        self._stop(grace_ms=0)
        return self._process.stderr_tail()

    def part(self) -> None:
        """Tell the bot, which has done nothing wrong, that it is over, and give it end of file; `close` is due."""
        if not self.dismissed:
            self._process.post(b"".join((*self._pending, encode_line(Quit()))))
            self._process.close_stdin()

    def close(self, grace_ms: int = GRACE_MS) -> None:
        """Part with the bot, give it a short grace to end by itself, and end what is left of it."""
        self.part()
        self._stop(grace_ms)

    def _stop(self, grace_ms: int) -> None:
        if not self.dismissed:
            self.dismissed = True
            self._process.stop(grace_ms)


def _exchange(process: BotProcess, data: bytes, limit: Limit) -> bytes | Fault:
    return process.send(data, limit) or process.receive(limit)


def _at_start(fault: Fault, clock: WireClock) -> Fault:
    """Say of a fault during the handshake that it came there."""
    if fault.kind == "timeout":
        return Fault("timeout", f"start: no ready within {clock.start_ms:,} ms ({fault.detail})", fault.raw)
    if fault.kind == "died":
        return Fault("died", f"{fault.detail} before its first reply", fault.raw)
    return fault
