"""A session's part of the conversation: ids, clocks, banks, last words; its process is a list of replies."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.entrant import session
from runner.entrant.session import Session, StartFailure, request_ids
from runner.game.deal import deal_game
from runner.game.hand import BidMade
from runner.game.presets import resolve_rules
from runner.game.series import Series
from runner.game.view import view
from runner.protocol.faults import Fault
from runner.protocol.lines import Reply
from runner.protocol.messages import WireClock
from runner.table.conditions import Conditions

CLOCK = WireClock(start_ms=5_000, move_ms=1_000, move_wall_ms=5_500, bank_ms=None)
RULES = resolve_rules({"sizes": [3]}).for_players(3)
SERIES = Series(RULES, deal_game(RULES, bytes(32), "0"))
VIEW = view(SERIES, 0)


class FakeProcess:
    """Answers each decision with the next of `answers`, a function of the request, charged with so many us."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.lines = []
        self.limits = []
        self.last_charged_us = 0
        self.stopped = None

    def post(self, data):
        assert self.stopped is None
        self.lines += [json.loads(line) for line in data.splitlines()]

    def send(self, data, limit):
        self.post(data)
        self.limits.append((limit.move_ms, limit.move_wall_ms))

    def receive(self, limit):
        answer, self.last_charged_us = self.answers.pop(0)
        return answer(self.lines[-1]) if callable(answer) else answer

    def check_quiet(self):
        return Fault("unasked", "1 byte")

    def close_stdin(self):
        pass

    def stop(self, grace_ms):
        self.stopped = grace_ms

    def stderr_tail(self):
        return b"tail"


def bid(value, us=0, **more):
    return lambda request: json.dumps({"id": request["id"], "bid": value, **more}).encode(), us


def card(value, us=0):
    return lambda request: json.dumps({"id": request["id"], "card": value}).encode(), us


def seated(*answers, clock=CLOCK, wanted=()):
    process = FakeProcess(*answers)
    player = Session(process, clock, frozenset(wanted))
    player.begin_game(Conditions(RULES, bytes(32), clock).game_start(0, 1, None))
    return player, process


def ask_bid(player, standing=None):
    return player.ask("bid", [0, 1, 2], VIEW, standing)


def ask_card(player):
    return player.ask("play", ["2C", "3C"], VIEW, None)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(st.integers(1, 3_000))
def test_ids_rise_by_random_steps(count):
    """Ids of a process rise by 1 to 2^24 and are unique."""
    ids = [0] + [number for number, _ in zip(request_ids(), range(count), strict=False)]
    steps = [after - before for before, after in pairwise(ids)]
    assert min(steps) >= 1
    assert max(steps) <= 2**24
    assert ids[-1] < 2**53


def test_steps_of_ids_are_spread_out_and_not_repeated(monkeypatch):
    """Steps use all their 24 bits, differ from process to process, and 2^29 of the largest stay below 2^53."""
    first, second = ([number for number, _ in zip(request_ids(), range(2_000), strict=False)] for _ in range(2))
    assert not set(first) & set(second[:10])
    steps = [after - before for before, after in pairwise(first)]
    assert len(set(steps)) > 1_990
    assert all(400 < sum(step >> bit & 1 for step in steps) < 1_600 for bit in range(24))
    monkeypatch.setattr(session.os, "urandom", lambda count: b"\xff" * count)
    assert next(request_ids()) == 2**24
    assert 2**24 * (2**29 - 1) < 2**53
    monkeypatch.setattr(session.os, "urandom", bytes)
    assert next(request_ids()) == 1


def test_first_request_carries_the_game_and_has_the_start_up_time_on_top():
    """A game begins in the write of its first request, which has `start_ms` more; games count from 1."""
    player, process = seated(bid(1), card("3C"), bid(0))
    assert ask_bid(player) == Reply(1)
    assert ask_card(player) == Reply("3C")
    player.begin_game(Conditions(RULES, bytes(32), CLOCK).game_start(2, 1, ["a", "b", "ü"]))
    assert ask_bid(player) == Reply(0)
    assert [line["type"] for line in process.lines] == [
        "game_start",
        "request_bid",
        "request_play",
        "game_start",
        "request_bid",
    ]
    assert [line["game"] for line in process.lines] == [1, 1, 1, 2, 2]
    assert process.lines[3]["names"] == ["a", "b", "ü"]
    assert process.limits == [(6_000, 10_500), (1_000, 5_500), (6_000, 10_500)]


def test_answers_of_one_bid_share_one_clock():
    """What an answer took is taken from the next one to the same bid, and no more from the next bid."""
    player, process = seated(
        card("2C"), bid(1, 300_000, final=False), bid(2, 650_000, final=False), bid(0, 10, final=False), bid(1), bid(1)
    )
    ask_card(player)
    answers = [ask_bid(player, standing) for standing in (None, 1, 2, 0)]
    ask_bid(player)
    assert [answer.value for answer in answers] == [1, 2, 0, 1]
    assert [limit for limit, _ in process.limits[1:]] == [1_000, 700, 50, 50, 1_000]
    assert [line.get("standing") for line in process.lines[2:]] == [None, 1, 2, 0, None]


def test_start_up_time_is_not_charged_to_a_bid():
    """A first bid within its start-up time leaves the whole clock to its change."""
    player, process = seated(bid(1, 5_200_000, final=False), bid(2))
    ask_bid(player)
    ask_bid(player, 1)
    assert [limit for limit, _ in process.limits] == [6_000, 800]


def test_start_up_time_of_a_card_is_not_given_to_the_next_bid():
    """The first request of a game may be a card; what it had on top is gone with it."""
    player, process = seated(card("2C"), bid(1, 400_000, final=False), bid(2))
    ask_card(player)
    ask_bid(player)
    ask_bid(player, 1)
    assert [limit for limit, _ in process.limits] == [6_000, 1_000, 600]


def test_bank_runs_down_over_a_game_and_is_full_in_the_next():
    """With a bank a decision has no more than is left of it, and a bot is told; the start-up time is free."""
    clock = WireClock(start_ms=5_000, move_ms=1_000, move_wall_ms=5_500, bank_ms=1_500)
    player, process = seated(bid(1, 5_300_000), card("2C", 800_000), card("2C", 399_000), bid(1), clock=clock)
    ask_bid(player)
    ask_card(player)
    ask_card(player)
    player.begin_game(Conditions(RULES, bytes(32), clock).game_start(0, 1, None))
    ask_bid(player)
    requests = [line for line in process.lines if "legal" in line]
    assert [request["bank_ms"] for request in requests] == [1_500, 1_200, 400, 1_500]
    assert [limit for limit, _ in process.limits] == [6_000, 1_000, 400, 6_000]
    assert list(requests[0])[-1] == "bank_ms"


def test_a_used_up_bank_is_named():
    """A timeout with nothing left in the bank says so."""
    clock = WireClock(start_ms=0, move_ms=1_000, move_wall_ms=5_500, bank_ms=1_500)
    timeout = Fault("timeout", "nothing received")
    player, _ = seated((timeout, 1_500_000), clock=clock)
    assert ask_bid(player) == Fault("timeout", "bank: the 1,500 ms of the game are used up")
    player, _ = seated((timeout, 1_000_000), clock=clock)
    assert ask_bid(player) == timeout


def test_events_wait_for_the_next_request():
    """An event that the bot named comes in front of the next request; one it did not name never comes."""
    player, process = seated(bid(1), wanted=["bid"])
    player.hear(BidMade(2, 1))
    player.hear(SERIES)
    assert process.lines == []
    ask_bid(player)
    assert [line["type"] for line in process.lines] == ["game_start", "bid", "request_bid"]
    player.hear(BidMade(0, 1))
    player.close()
    player.close()
    assert [line["type"] for line in process.lines[3:]] == ["bid", "quit"]
    assert process.stopped == 500


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (bid(3), "illegal"),
        ((b"hm", 0), "garbage"),
        ((b'{"id":1,"bid":1}', 0), "unasked"),
        ((Fault("died", "exit status 3"), 0), "died"),
    ],
)
def test_last_words(answer, kind):
    """A faulted bot is told which request it was and ended at once; nothing is said to it afterwards."""
    player, process = seated(answer, wanted=["bid"])
    player._ids = iter([8127])
    fault = ask_bid(player)
    assert fault.kind == kind
    assert player.dismiss(fault) == b"tail"
    assert process.lines[-1] == {"type": "fault", "id": 8127, "kind": kind, "detail": fault.detail}
    assert process.stopped == 0
    assert player.dismissed
    player.hear(BidMade(0, 1))
    player.close()
    assert player._pending == []


def test_a_fault_between_requests_has_no_id():
    """What a bot writes after its answer belongs to no request."""
    player, process = seated(bid(1))
    ask_bid(player)
    fault = player.check_quiet()
    player.dismiss(fault)
    assert process.lines[-1] == {"type": "fault", "id": None, "kind": "unasked", "detail": "1 byte"}


@pytest.mark.parametrize(
    ("answer", "kind", "detail"),
    [
        (b"Welcome", "garbage", "in place of ready: "),
        (Fault("died", "exit status 1"), "died", "exit status 1 before its first reply"),
        (Fault("timeout", "nothing received"), "timeout", "start: no ready (nothing received)"),
        (Fault("too-long", "x"), "too-long", "x"),
    ],
)
def test_a_failed_handshake(monkeypatch, answer, kind, detail):
    """A bot that does not become ready is told, ended, and its fault says that it was at the start."""
    process = FakeProcess((answer, 0))
    monkeypatch.setattr(session.BotProcess, "start", lambda launch: process)
    failure = Session.start(None, CLOCK)
    assert isinstance(failure, StartFailure)
    assert failure.fault.kind == kind
    assert failure.fault.detail.startswith(detail)
    assert failure.stderr == b"tail"
    assert process.lines[-1]["type"] == "fault"
    assert process.lines[-1]["id"] is None
    assert process.stopped == 0


def test_a_program_that_cannot_be_started(monkeypatch):
    """A fault of kind `start` is passed on."""
    fault = Fault("start", "no such file")
    monkeypatch.setattr(session.BotProcess, "start", lambda launch: fault)
    assert Session.start(None, CLOCK) == StartFailure(fault, b"")
