"""protocol.md is true: its transcripts happen, its bots play, its tables are the message types, its vectors hold."""

import json
import re
import shutil
import sys
from hashlib import sha256
from typing import get_args

import pytest

from runner.entrant import session
from runner.entrant.launch import Launch
from runner.entrant.session import GRACE_MS, Session
from runner.game.hand import Trick
from runner.game.presets import find_preset
from runner.game.stream import Stream, parse_seed
from runner.protocol.faults import FaultKind
from runner.protocol.lines import MAX_DEPTH, MAX_DIGITS, MAX_LINE_BYTES
from runner.protocol.messages import (
    EVENT_NAMES,
    MAX_NOTE_BYTES_A_GAME,
    MAX_NOTE_CHARACTERS,
    TO_BOT,
    BidReply,
    FaultNotice,
    GameStart,
    Hello,
    PlayReply,
    Quit,
    Ready,
    RequestBid,
    RequestPlay,
    WireClock,
    WireRules,
)
from runner.table.conditions import Conditions
from runner.table.match import play_match
from runner.table.results import MatchPlan
from tests.protocol.document import TEXT, blocks, section, tables, transcripts, words
from tests.protocol.schemas import validator
from tests.protocol.staging import SEED, stage

EXAMPLES = [line for body in blocks("json") for line in body.splitlines()]
TRANSCRIPTS = {transcript.title: transcript for transcript in transcripts()}


@pytest.mark.parametrize("title", TRANSCRIPTS)
def test_transcript_happens_as_written(title, monkeypatch):
    """The real table says every line of a transcript, byte for byte and in its order, when the bots say theirs."""
    transcript = TRANSCRIPTS[title]
    replies = {
        seat: (text for direction, text in transcript.heard_at(seat) if direction == "<") for seat in transcript.seats
    }
    monkeypatch.setattr(session, "__version__", "1.0.0")
    tape = stage(
        monkeypatch, transcript.setup, replies, {seat: iter(transcript.ids(seat)) for seat in transcript.seats}
    )
    for seat in transcript.seats:
        heard = [(direction, text) for direction, at, text in tape if at == seat]
        assert heard == transcript.heard_at(seat)
    common = {text for _, seat, text in transcript.lines if seat is None}
    alone = [line for line in transcript.lines if line[1] is not None and line[2] not in common]
    handshakes = 2 * len(transcript.seats)
    assert [line for line in tape[handshakes:] if line[2] not in common] == [
        line for line in alone if '"ready"' not in line[2]
    ]


def test_transcripts_show_what_they_are_for():
    """Among them are forced moves, a blind hand, sealed bids, a changed bid and a fault."""
    texts = {title: " ".join(text for _, _, text in transcript.lines) for title, transcript in TRANSCRIPTS.items()}
    assert list(texts) == ["A whole hand", "A blind hand", "Sealed bids", "A changed bid", "A fault"]
    assert texts["A whole hand"].count('"type":"request_play"') == 5 < 9
    assert '"cards":null' in texts["A blind hand"]
    assert '"type":"bids"' in texts["Sealed bids"]
    assert '"final":false' in texts["A changed bid"]
    assert '"standing":1' in texts["A changed bid"]
    assert '"type":"fault"' in texts["A fault"]


@pytest.mark.parametrize("line", EXAMPLES)
def test_example_is_valid(line):
    """Every example line is one of the protocol's lines, in the runner's layout and key order."""
    validator().validate(json.loads(line))
    message = json.loads(line)
    assert line == json.dumps(message, separators=(",", ":"))
    if "type" in message and message["type"] != "ready":
        (kind,) = (kind for kind in TO_BOT if kind.__struct_config__.tag == message["type"])
        assert list(message) == ["type", *kind.__struct_fields__]


@pytest.mark.parametrize("title", TRANSCRIPTS)
def test_transcript_lines_are_valid(title):
    """Every line of a transcript follows the schema of its direction."""
    for direction, _, text in TRANSCRIPTS[title].lines:
        validator("ToBot" if direction == ">" else "FromBot").validate(json.loads(text))


def first_column(table):
    return [word for row in table for word in words(row[0])]


def test_key_tables_are_the_message_types():
    """The tables have every key of every message, in the order of the wire."""
    game_start, rules = tables(section("`game_start`"))
    assert tuple(first_column(game_start)) == GameStart.__struct_fields__
    assert tuple(first_column(rules)) == WireRules.__struct_fields__
    (request,) = tables(section("`request_bid` and `request_play`"))
    assert tuple(first_column(request)) == RequestBid.__struct_fields__ == RequestPlay.__struct_fields__
    hello, ready = tables(section("`hello` and `ready`"))
    assert tuple(first_column(hello)) == Hello.__struct_fields__
    assert tuple(first_column(ready)) == Ready.__struct_fields__
    (clock,) = tables(section("Time"))
    assert tuple(first_column(clock)) == WireClock.__struct_fields__
    _, fault = tables(section("Faults"))
    assert tuple(first_column(fault)) == FaultNotice.__struct_fields__
    assert Quit.__struct_fields__ == ()


def test_reply_table_is_the_reply_types():
    """The table of replies has the keys of both, in order, each under the request it answers."""
    (rows,) = tables(section("Replies"))
    assert [key for key, to, _ in rows if to in ("both", "`request_bid`")] == [
        f"`{k}`" for k in BidReply.__struct_fields__
    ]
    assert [key for key, to, _ in rows if to in ("both", "`request_play`")] == [
        f"`{k}`" for k in PlayReply.__struct_fields__
    ]


def test_event_table_is_the_event_types():
    """The table of events has each that can be named in `ready`, with all its keys in order."""
    (rows,) = tables(section("Events"))
    types = {kind.__struct_config__.tag: kind for kind in TO_BOT}
    assert {words(name)[0] for name, _, _ in rows} == set(EVENT_NAMES)
    for name, keys, _ in rows:
        assert tuple(words(keys)) == types[words(name)[0]].__struct_fields__
    (row,) = (row for row in tables(section("`hello` and `ready`"))[1] if row[0] == "`events`")
    assert tuple(words(row[1])) == EVENT_NAMES


def test_fault_table_is_the_closed_list():
    """The table of faults has every kind, in the order of the type."""
    assert tuple(first_column(tables(section("Faults"))[0])) == get_args(FaultKind)


def test_every_value_of_the_rules_is_told():
    """What a key of `rules` may be stands in its row."""
    for row in tables(section("`game_start`"))[1]:
        key = words(row[0])[0]
        values = [value for value in get_args(WireRules.__annotations__[key]) if isinstance(value, str)]
        assert set(values) <= set(words(row[1])), key


def test_every_message_has_its_place_in_the_conversation():
    """The table of the conversation and that of events leave no message out."""
    told = first_column(tables(section("The conversation"))[0]) + first_column(tables(section("Events"))[0])
    assert {kind.__struct_config__.tag for kind in TO_BOT} <= set(told)


def test_parts_of_a_trick_stand_in_their_order():
    """A trick is written in the document as it is sent."""
    keys = re.findall(r'"(\w+)":', re.search(r'`(\{"leader":….*?\})`', TEXT)[1])
    assert tuple(keys) == tuple(Trick.__dataclass_fields__)


def test_numbers_in_the_text_are_those_of_the_code():
    """Limits that the text states are the limits that hold."""
    assert MAX_LINE_BYTES == 65_536
    assert "at most 65,536\n  bytes" in TEXT
    assert "65,536 bytes without a line end" in TEXT
    assert f"nested deeper than {MAX_DEPTH}," in TEXT
    assert f"more than {MAX_DIGITS} digits" in TEXT
    assert f"{MAX_NOTE_CHARACTERS} characters are kept" in TEXT
    assert MAX_NOTE_BYTES_A_GAME == 16 * 1024
    assert "16 KiB in one game" in TEXT
    assert GRACE_MS == 500
    assert "within half a second" in TEXT


def test_seed_vectors():
    """The table of vectors: seeds of text, the hash of the seed, and the beginnings of shuffles."""
    (rows,) = tables(section("Vectors"))
    checked = []
    for seed, given, result in rows:
        if given == "seed":
            text = re.fullmatch(r"the text `(.*)`", seed)[1]
            assert parse_seed(text).bytes_.hex() == words(result)[0]
        elif given == "SHA-256(seed)":
            assert sha256(SEED).hexdigest() == words(result)[0]
        else:
            assert seed == "bytes 00 … 1f"
            numbers = [int(number) for number in result.removesuffix(" …").split()]
            assert Stream(SEED, words(given)[0]).shuffle(52)[: len(numbers)] == numbers
            assert len(numbers) == 12
        checked.append(given)
    assert len(checked) == 5


@pytest.mark.parametrize("language", ["python", "bash"])
def test_bot_of_the_document_plays(language, tmp_path):
    """A program of the document sits at every seat of a match, hands blind and bids changeable, without a fault."""
    (program,) = blocks(language)
    interpreter = sys.executable if language == "python" else shutil.which("bash")
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "program").write_text(program, encoding="utf-8")
    rules = find_preset("devils-bridge").rules.from_mapping({"change_bid": True, "sizes": [3, 8, 1]}).for_players(3)
    clock = WireClock(start_ms=30_000, move_ms=10_000, move_wall_ms=60_000, bank_ms=None)
    conditions = Conditions(rules, SEED, clock)
    sessions = {}

    def find(entrant, rotation):
        scratch = tmp_path / f"{entrant}-{rotation}"
        started = Session.start(Launch(entrant, (interpreter, "program"), bot, scratch), clock)
        return sessions.setdefault((entrant, rotation), started)

    names = ("a", "b", "c")
    result = play_match(MatchPlan(bytes(32), "0", names), conditions, dict.fromkeys(names, b""), find)
    for started in sessions.values():
        assert isinstance(started, Session)
        started.close()
    assert result.faults == ()
    assert result.decisions > 60
