"""The shipped schema: up to date, true for every line of real games, and false for what is no line."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import ValidationError

from runner.game.presets import PRESETS
from runner.protocol.messages import EVENT_NAMES, FROM_BOT, TO_BOT
from runner.protocol.schema import SCHEMA_PATH, protocol_schema, schema_text, write_schema
from tests.protocol.schemas import validator
from tests.protocol.staging import stage


def test_shipped_schema_is_the_generated_one():
    """The file in the package is what the message types say; `write_schema` writes it anew."""
    assert SCHEMA_PATH.read_text(encoding="ascii") == schema_text()


def test_schema_is_written_where_it_is_shipped(tmp_path, monkeypatch):
    """`write_schema` writes the text of the schema."""
    monkeypatch.setattr("runner.protocol.schema.SCHEMA_PATH", tmp_path / "schema.json")
    write_schema()
    assert json.loads((tmp_path / "schema.json").read_text(encoding="ascii")) == protocol_schema()


def test_schema_has_every_message():
    """There is a definition for each message type, under its name, with its keys in their order."""
    definitions = protocol_schema()["$defs"]
    for kind in (*TO_BOT, *FROM_BOT):
        keys = [key for key in definitions[kind.__name__]["properties"] if key != "type"]
        assert tuple(keys) == kind.__struct_fields__


def random_bot(random, latest):
    """Yield the replies, as text, of a bot that plays at random; `latest` gives the last line to it."""
    yield json.dumps({"type": "ready", "protocol": 1, "events": list(EVENT_NAMES)})
    while True:
        request = json.loads(latest())
        answer = random.choice(request["legal"])
        if request["type"] == "request_play":
            yield json.dumps({"id": request["id"], "card": answer})
        else:
            yield json.dumps({"id": request["id"], "bid": answer, "final": random.random() < 0.7, "note": "…"})


@settings(derandomize=True, deadline=None, max_examples=8)
@given(st.randoms(use_true_random=False), st.sampled_from(list(PRESETS)), st.integers(3, 5))
def test_lines_of_random_games_are_valid(random, preset, players):
    """Every line that a random game sends or is sent follows the schema of its direction, as does every event."""
    setup = {"rules": {"preset": preset, "sizes": [3, 2, 1]}, "players": players, "seats": list(range(players))}
    tape, counts = [], Counter()
    replies = {
        seat: random_bot(random, lambda seat=seat: [text for _, at, text in tape if at == seat][-1])
        for seat in setup["seats"]
    }
    with pytest.MonkeyPatch.context() as monkeypatch:
        stage(monkeypatch, setup, replies, tape=tape)
    for direction, _, text in tape:
        validator("ToBot" if direction == ">" else "FromBot").validate(json.loads(text))
        counts[json.loads(text).get("type", "reply")] += 1
    assert counts["request_bid"] + counts["request_play"] == counts["reply"]
    assert counts["hand_end"] == 3 * players
    assert counts["play"] == 6 * players**2


REQUEST = {
    "type": "request_bid",
    "id": 8127,
    "legal": [0, 1, 2],
    "game": 1,
    "hand": 4,
    "size": 2,
    "seat": 0,
    "dealer": 3,
    "turned": "7H",
    "trump": "H",
    "cards": ["4D", "AS"],
    "shown": None,
    "bids": [None, None, None, None],
    "won": [0, 0, 0, 0],
    "leader": 0,
    "trick": [],
    "tricks": [],
    "totals": [31, 12, 22, 10],
}


@pytest.mark.parametrize(
    "message",
    [
        REQUEST,
        REQUEST | {"standing": 2, "bank_ms": 0},
        REQUEST | {"something new": []},
        REQUEST | {"cards": None, "shown": [None, ["QS"], ["2D"], ["KC"]], "turned": None, "trump": None},
        REQUEST | {"type": "request_play", "legal": ["4D", "AS"], "bids": [0, 1, 2, 0]},
    ],
)
def test_right_requests(message):
    """A request of every form is valid, one with a field of a later version too."""
    validator("ToBot").validate(message)
    validator().validate(message)


@pytest.mark.parametrize(
    "change",
    [
        {"type": "request"},
        {"id": 0},
        {"id": 2**53},
        {"id": "8127"},
        {"legal": [1]},
        {"legal": [0, -1]},
        {"legal": ["4D", "AS"]},
        {"game": 0},
        {"size": 18},
        {"seat": 7},
        {"dealer": None},
        {"turned": "10H"},
        {"trump": "NT"},
        {"trump": "h"},
        {"cards": ["4d"]},
        {"shown": [["QS"]]},
        {"bids": [None, None]},
        {"bids": [True, None, None, None]},
        {"tricks": [{"leader": 0, "cards": []}]},
        {"totals": [1.5, 0, 0, 0]},
        {"standing": None},
    ],
)
def test_wrong_requests(change):
    """A request with any one value wrong is refused."""
    with pytest.raises(ValidationError):
        validator("ToBot").validate(REQUEST | change)


@pytest.mark.parametrize("key", REQUEST)
def test_a_key_missing_from_a_request(key):
    """No key of a request may be missing."""
    with pytest.raises(ValidationError):
        validator("ToBot").validate({name: value for name, value in REQUEST.items() if name != key})


@pytest.mark.parametrize(
    ("message", "right"),
    [
        ({"type": "ready", "protocol": 1}, True),
        ({"type": "ready", "protocol": 1, "events": ["play"], "tables": 2}, True),
        ({"id": 1, "bid": 0}, True),
        ({"id": 1, "bid": 0, "card": "QH"}, True),
        ({"id": 1, "bid": 0, "final": False, "note": ""}, True),
        ({"id": 1, "card": "QH", "note": "x"}, True),
        ({"type": "ready"}, False),
        ({"type": "ready", "protocol": 2}, False),
        ({"type": "ready", "protocol": 1, "events": ["tick"]}, False),
        ({"id": 1}, False),
        ({"bid": 1}, False),
        ({"id": 1, "bid": "1"}, False),
        ({"id": 1, "bid": True}, False),
        ({"id": 1, "bid": 18}, False),
        ({"id": 1, "bid": 1, "final": 0}, False),
        ({"id": 1, "bid": 1, "note": None}, False),
        ({"id": 1, "card": "1H"}, False),
        ({"id": 1, "card": "QH "}, False),
        ([], False),
    ],
)
def test_lines_from_a_bot(message, right):
    """Replies and `ready` are told from what is neither."""
    assert validator("FromBot").is_valid(message) == right
