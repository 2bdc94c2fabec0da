"""What a bot's line is taken for: every way to write a reply, and every way to get it wrong."""

import json
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.game.cards import PACK
from runner.protocol import lines
from runner.protocol.faults import MAX_RAW_BYTES, Fault
from runner.protocol.lines import Readiness, Reply, encode_line, read_bid, read_card, read_ready
from runner.protocol.messages import EVENT_NAMES, FaultNotice

BIDS = [0, 1, 3]
CARDS = ["5S", "9S", "TS"]
bounded = settings(derandomize=True, deadline=None, max_examples=200)


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        (b'{"id":7,"bid":1}', Reply(1)),
        (b'{"id": 7, "bid": 0}', Reply(0)),
        (b'{"bid":3,"id":7}', Reply(3)),
        (b' \t{ "id" : 7 , "bid" : 1 } \r', Reply(1)),
        (b'{"id":7,"bid":1,"final":true}', Reply(1)),
        (b'{"id":7,"bid":1,"final":false}', Reply(1, final=False)),
        (b'{"id":7,"bid":1,"note":"sure"}', Reply(1, note="sure")),
        ('{"id":7,"bid":1,"note":"schön ♠"}'.encode(), Reply(1, note="schön ♠")),
        (b'{"id":7,"bid":1,"note":"\\ud83c\\udccf"}', Reply(1, note="🃏")),
        (b'{"id":7,"bid":1,"note":"' + b"n" * 200 + b'"}', Reply(1, note="n" * 200)),
        (b'{"id":7,"bid":1,"note":"' + b"n" * 60_000 + b'"}', Reply(1, note="n" * 200, note_cut=59_800)),
        (b'{"id":7,"bid":1,"type":"bid","why":{"a":[1.5,null,true]}}', Reply(1)),
        (b'{"id":7,"bid":1,"extra":"' + b"x" * 65_000 + b'"}', Reply(1)),
        (b'{"id":7,"bid":1,"extra":1e400}', Reply(1)),
        (b'{"id":7,"bid":1,"extra":' + b"[" * 31 + b"]" * 31 + b"}", Reply(1)),
    ],
)
def test_good_bid(line, reply):
    """A reply is read however it is laid out; fields the runner does not know are ignored."""
    assert read_bid(line, 7, BIDS) == reply


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        (b'{"id":7,"card":"9S"}', Reply("9S")),
        (b'{"id": 7, "card": "TS"}', Reply("TS")),
        (b'{"card":"5S","id":7,"note":"x"}', Reply("5S", note="x")),
        (b'{"id":7,"card":"\\u0039S"}', Reply("9S")),
        (b'{"id":7,"card":"9S","final":false}', Reply("9S")),
        (b'{"id":7,"card":"9S","final":"no matter"}', Reply("9S")),
    ],
)
def test_good_card(line, reply):
    """A card has no `final`: whatever stands there is an unknown field."""
    assert read_card(line, 7, CARDS) == reply


# Encoding and JSON: every line is garbage, whatever it would have meant.
GARBAGE = {
    "bad_utf8": (b'{"id":7,"bid":1,"note":"\xff"}', "not UTF-8: byte 0xff at position 24"),
    "bad_utf8_overlong": (b'{"id":7,"bid":1,"note":"\xc0\x80"}', "not UTF-8: byte 0xc0 at position 24"),
    "bad_utf8_surrogate": (b'{"id":7,"bid":1,"note":"\xed\xa0\x80"}', "not UTF-8: byte 0xed at position 24"),
    "bom": (b'\xef\xbb\xbf{"id":7,"bid":1}', "line starts with a byte order mark"),
    "utf16": ('{"id":7,"bid":1}'.encode("utf-16"), "not UTF-8: byte 0xff at position 0"),
    "utf16_be": (
        '{"id":7}'.encode("utf-16-be"),
        'not one JSON object: Expecting value at character 0: \\x00{\\x00"\\x00i\\x00d\\x00"\\x00:\\x007\\x00}',
    ),
    "nul": (
        b'{"id":7,"bid":1,"note":"\0"}',
        'not one JSON object: Invalid control character at at character 24: {"id":7,"bid":1,"note":"\\x00"}',
    ),
    "nul_escaped": (b'{"id":7,"bid":1,"note":"\\u0000"}', "a text contains NUL"),
    "nul_in_a_key": (b'{"id":7,"bid":1,"a":[{"\\u0000":1}]}', "a text contains NUL"),
    "lone_surrogate": (b'{"id":7,"bid":1,"note":"\\ud800"}', "a text contains a lone surrogate"),
    "lone_surrogate_deep": (b'{"id":7,"bid":1,"a":[["\\udfff"]]}', "a text contains a lone surrogate"),
    "deep": (b'{"id":7,"bid":1,"a":' + b"[" * 32 + b"]" * 32 + b"}", "brackets nested deeper than 32"),
    "deep_objects": (b'{"a":' * 1_000, "brackets nested deeper than 32"),
    "deep_open": (b"[" * 60_000, "brackets nested deeper than 32"),
    "dup_keys": (b'{"id":7,"bid":0,"bid":1}', 'key "bid" stands twice'),
    "dup_keys_alike": (b'{"id":7,"bid":1,"b\\u0069d":1}', 'key "bid" stands twice'),
    "dup_keys_inside": (b'{"id":7,"bid":1,"a":{"b":1,"b":1}}', 'key "b" stands twice'),
    "nan": (b'{"id":7,"bid":NaN}', "NaN is not JSON"),
    "inf": (b'{"id":7,"bid":1,"a":-Infinity}', "-Infinity is not JSON"),
    "huge_int": (b'{"id":7,"bid":' + b"1" * 50_000 + b"}", "a number has more than 20 digits"),
    "huge_id": (b'{"id":' + b"7" * 50_000 + b',"bid":1}', "a number has more than 20 digits"),
    "huge_id_of_card": (b'{"id":' + b"7" * 5_000 + b',"card":"9S"}', "a number has more than 20 digits"),
    "array_top": (b'[7,"bid",1]', 'not an object: [7,"bid",1]'),
    "text_top": (b'"bid"', 'not an object: "bid"'),
    "number_top": (b"1", "not an object: 1"),
    "null_top": (b"null", "not an object: null"),
    # Framing, as far as it is seen within a line.
    "banner": (b"Welcome!", "not one JSON object: Expecting value at character 0: Welcome!"),
    "blank": (b"", "blank line"),
    "blank_spaces": (b" \t\r", "blank line"),
    "garbage_tail": (
        b'{"id":7,"bid":1} ok',
        'not one JSON object: Extra data at character 17: {"id":7,"bid":1} ok',
    ),
    "two_in_line": (
        b'{"id":7,"bid":1}{"id":8,"bid":1}',
        'not one JSON object: Extra data at character 16: {"id":7,"bid":1}{"id":8,"bid":1}',
    ),
    "pretty": (
        b"{",
        "not one JSON object: Expecting property name enclosed in double quotes at character 1: {",
    ),
    "single_quotes": (
        b"{'id':7}",
        "not one JSON object: Expecting property name enclosed in double quotes at character 1: {'id':7}",
    ),
    "terminal_codes": (b"\x1b[2J", "not one JSON object: Expecting value at character 0: \\x1b[2J"),
    # An object that is not a reply.
    "no_id": (b'{"bid":1}', "reply without id"),
    "empty_object": (b"{}", "reply without id"),
    "no_answer": (b'{"id":7}', "reply without bid"),
    "card_for_bid": (b'{"id":7,"card":"9S"}', "reply without bid"),
    "id_text": (b'{"id":"7","bid":1}', 'id must be a whole number, not "7"'),
    "id_float": (b'{"id":7.0,"bid":1}', "id must be a whole number, not 7.0"),
    "id_bool": (b'{"id":true,"bid":1}', "id must be a whole number, not true"),
    "id_null": (b'{"id":null,"bid":1}', "id must be a whole number, not null"),
    "id_list": (b'{"id":[7],"bid":1}', "id must be a whole number, not [7]"),
    "final_number": (b'{"id":7,"bid":1,"final":1}', "final must be true or false, not 1"),
    "note_number": (b'{"id":7,"bid":1,"note":1.5}', "note must be a text, not 1.5"),
    "note_null": (b'{"id":7,"bid":1,"note":null}', "note must be a text, not null"),
    "note_object": (b'{"id":7,"bid":1,"note":{}}', "note must be a text, not {}"),
}


@pytest.mark.parametrize("mode", GARBAGE)
def test_garbage(mode):
    """Every line that is not a reply says what it is instead, the same on every version of Python."""
    line, detail = GARBAGE[mode]
    read, legal = (read_card, CARDS) if mode == "huge_id_of_card" else (read_bid, BIDS)
    fault = read(line, 7, legal)
    assert isinstance(fault, Fault)
    assert fault.kind == "garbage"
    # The json module words its message a little differently from version to version.
    if detail.startswith("not one JSON object: "):
        assert fault.detail.startswith("not one JSON object: ")
        assert fault.detail.endswith(detail.split(" at character ")[-1].split(": ", 1)[1])
    else:
        assert fault.detail == detail
    assert fault.raw == line[:MAX_RAW_BYTES]


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (b'{"id":6,"bid":1}', "reply to request 6, expected 7"),
        (b'{"id": 8, "bid": 1}', "reply to request 8, expected 7"),
        (b'{"id":0,"bid":1}', "reply to request 0, expected 7"),
        (b'{"id":-7,"bid":1}', "reply to request -7, expected 7"),
        (b'{"id":70,"bid":99}', "reply to request 70, expected 7"),
        (b'{"id":6,"card":"9S"}', "reply to request 6, expected 7"),
        (b'{"id":99999999999999999999,"bid":1}', "reply to request 99999999999999999999, expected 7"),
    ],
)
def test_reply_to_another_request_is_unasked(line, detail):
    """Late, doubled, early and queued replies carry another id than the open one, and that alone decides."""
    assert read_bid(line, 7, BIDS) == Fault("unasked", detail, line)


@pytest.mark.parametrize(
    ("behind", "detail"),
    [
        (b'{"id":7,"bid":1}\n', '17 bytes after the reply, starting `{"id":7,"bid":1}\\n`'),
        (b"x", "1 byte after the reply, starting `x`"),
        (b"\n", "1 byte after the reply, starting `\\n`"),
    ],
)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_bytes_behind_a_reply_are_unasked(behind, detail, line_end):
    """What was read together with a good reply is a fault that quotes it."""
    unasked = Fault("unasked", detail, behind)
    assert read_bid(b'{"id":7,"bid":1}' + line_end + behind, 7, BIDS) == unasked
    assert read_card(b'{"id":7,"card":"9S"}' + line_end + behind, 7, CARDS) == unasked
    assert read_ready(b'{"type":"ready","protocol":1}' + line_end + behind) == unasked


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"", "garbage"),
        (b"thinking ...", "garbage"),
        (b"{", "garbage"),
        (b'{"id":6,"bid":1}', "unasked"),
        (b'{"id":7,"bid":2}', "illegal"),
    ],
)
def test_a_line_is_judged_before_what_came_with_it(line, kind):
    """A bot's output may be read line by line or at once: the fault of its first line is the same."""
    alone = read_bid(line, 7, BIDS)
    assert alone.kind == kind
    assert read_bid(line + b'\n{"id":7,"bid":1}\n', 7, BIDS) == alone
    assert read_bid(line + b'\r\n{"id":7,"bid":1}\n', 7, BIDS) == alone


def test_a_banner_in_front_of_ready():
    """A banner is garbage with a hint, also where `ready` was read together with it."""
    banner = read_ready(b"Welcome")
    assert banner.kind == "garbage"
    assert banner.detail.endswith("; print anything but replies to stderr")
    assert read_ready(b'Welcome\n{"type":"ready","protocol":1}\n') == banner


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"2", "2"),
        (b"4", "4"),
        (b"-1", "-1"),
        (b"-0", "-0"),
        (b"1.0", "1.0"),
        (b"1e0", "1e0"),
        (b"1e400", "1e400"),
        (b"true", "true"),
        (b"false", "false"),
        (b'"1"', '"1"'),
        (b"null", "null"),
        (b"[1]", "[1]"),
        (b'{"bid":1}', '{"bid": 1}'),
        (b"12345678901234567890", "12345678901234567890"),
        (b"100", "100"),
        (b"0.00000000000000000000000000001", "0.000000000000000000"),
    ],
)
def test_illegal_bid(answer, said):
    """A bid counts only as a whole number that is in the list, with the list in the detail."""
    line = b'{"id":7,"bid":' + answer + b"}"
    assert read_bid(line, 7, BIDS) == Fault("illegal", f"bid {said} is not one of 0 1 3", line)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("5H", '"5H"'),  # of the trick before, or not in the hand
        ("9s", '"9s"'),
        ("S9", '"S9"'),
        ("9♠", '"9♠"'),
        ("９S", '"９S"'),
        ("10S", '"10S"'),
        (" 9S", '" 9S"'),
        ("9S\\n", '"9S\\n"'),
        ("", '""'),
        ("\u202e9S", '"\\u202e9S"'),
        ("x" * 100, '"' + "x" * 58 + "…"),
    ],
)
def test_illegal_card(answer, said):
    """A card counts only in its one spelling; what is quoted of another is safe to print."""
    line = f'{{"id":7,"card":"{answer}"}}'.encode()
    fault = read_card(line, 7, CARDS)
    assert (fault.kind, fault.detail) == ("illegal", f"card {said} is not one of 5S 9S TS")


@pytest.mark.parametrize("answer", [b"0", b"-1", b"1.0", b"null", b"true", b'["9S"]'])
def test_card_of_another_type_is_illegal(answer):
    """A number is no card: -1 does not pick the last."""
    assert read_card(b'{"id":7,"card":' + answer + b"}", 7, CARDS).kind == "illegal"


NASTY = {
    "escaped_quotes": b'"' + b'\\"' * 32_000,
    "escaped_quotes_in_a_note": b'{"id":7,"bid":1,"note":"' + b'\\"' * 32_000,
    "quotes": b'{"id":7,' + b'"' * 65_000,
    "backslashes": b'{"a":"' + b"\\" * 65_000 + b'"}',
    "brackets": b"[]" * 32_000,
    "digits": b'{"id":' + b"9" * 65_000,
    "float": b'{"id":7,"bid":' + b"9" * 30_000 + b"." + b"9" * 30_000 + b"}",
    "keys": b"{" + b",".join(b'"%d":1' % number for number in range(7_000)) + b"}",
    "spaces": b" " * 65_000,
    "escapes": b'{"id":7,"bid":1,"a":"' + b"\\u0041" * 10_000 + b'"}',
}


@pytest.mark.parametrize("mode", NASTY)
def test_the_worst_line_takes_no_time(mode):
    """A line of 64 KiB is judged in milliseconds; one that took a square of them would take many seconds."""
    before = time.process_time()
    read_bid(NASTY[mode], 7, BIDS)
    read_card(NASTY[mode], 7, CARDS)
    assert time.process_time() - before < 1


def usual_layouts(key, answers):
    spaces = st.sampled_from(["", " "])
    ids = st.sampled_from(["7", "8", "07", "0", "-7", "7.0"]) | st.integers(0, 10**18).map(str)
    return st.tuples(ids, answers, spaces, spaces, spaces).map(
        lambda part: f'{{"id":{part[2]}{part[0]},{part[3]}"{key}":{part[4]}{part[1]}}}'.encode()
    )


@bounded
@given(usual_layouts("bid", st.integers(-2, 120).map(str) | st.sampled_from(["01", "1.0", "-0", "true", '"1"'])))
def test_fast_and_strict_readings_of_a_bid_agree(line):
    """The expression for the usual layout finds nothing that the strict parser would not find."""
    assert read_bid(line, 7, BIDS) == lines._read_strictly(line, 7, "bid", BIDS)


@bounded
@given(usual_layouts("card", st.sampled_from([f'"{card}"' for card in PACK] + ['"9s"', '"1S"', "9", '"9S" '])))
def test_fast_and_strict_readings_of_a_card_agree(line):
    """The same for cards."""
    assert read_card(line, 7, CARDS) == lines._read_strictly(line, 7, "card", CARDS)


@bounded
@given(st.binary(max_size=60) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_a_fault_or_a_reply(line):
    """Whatever bytes come, the verdict is data with a detail on one printable line."""
    for outcome in (read_bid(line, 7, BIDS), read_card(line, 7, CARDS), read_ready(line)):
        if isinstance(outcome, Fault):
            assert all(char.isprintable() or unicodedata.category(char) == "Zs" for char in outcome.detail)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@bounded
@given(
    st.dictionaries(st.sampled_from(["id", "bid", "card", "final", "note", "x"]), JSON, max_size=5),
    st.sampled_from([None, 7]),
    st.sampled_from([None, 1, "9S"]),
)
def test_any_object_counts_only_if_it_is_a_reply(value, request_id, answer):
    """Of all JSON objects only those with the id and a legal answer are replies."""
    value = value | ({} if request_id is None else {"id": request_id})
    value = value | ({} if answer is None else {"bid": answer, "card": answer})
    line = json.dumps(value).encode()
    for read, key, legal in ((read_bid, "bid", BIDS), (read_card, "card", CARDS)):
        outcome = read(line, 7, legal)
        if isinstance(outcome, Reply):
            assert value["id"] == 7
            assert type(value["id"]) is int
            assert outcome.value == value[key]
            assert type(value[key]) is type(legal[0])
            assert outcome.value in legal


@pytest.mark.parametrize(
    ("line", "events"),
    [
        (b'{"type":"ready","protocol":1}', []),
        (b'{"protocol": 1, "type": "ready", "language": "C"}', []),
        (b'{"type":"ready","protocol":1,"events":[]}', []),
        (b'{"type":"ready","protocol":1,"events":["play","play","bid"]}', ["play", "bid"]),
        (json.dumps({"type": "ready", "protocol": 1, "events": list(EVENT_NAMES)}).encode(), EVENT_NAMES),
    ],
)
def test_ready(line, events):
    """`ready` names the protocol and any events that there are."""
    assert read_ready(line) == Readiness(frozenset(events))


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (
            b"Welcome to my bot",
            "in place of ready: not one JSON object: Expecting value at character 0: Welcome to my bot; "
            "print anything but replies to stderr",
        ),
        (b"", "in place of ready: blank line; print anything but replies to stderr"),
        (b'{"protocol":1}', 'in place of ready: expected {"type":"ready","protocol":1}, got {"protocol":1}'),
        (
            b'{"type":"hello","protocol":1}',
            'in place of ready: expected {"type":"ready","protocol":1}, got {"type":"hello","protocol":1}',
        ),
        (b'{"type":"ready"}', "in place of ready: ready must have protocol 1, not null"),
        (b'{"type":"ready","protocol":2}', "in place of ready: ready must have protocol 1, not 2"),
        (b'{"type":"ready","protocol":1.0}', "in place of ready: ready must have protocol 1, not 1.0"),
        (b'{"type":"ready","protocol":true}', "in place of ready: ready must have protocol 1, not true"),
        (b'{"type":"ready","protocol":1,"events":"bid"}', 'in place of ready: events must be a list, not "bid"'),
        (
            b'{"type":"ready","protocol":1,"events":["tick"]}',
            f'in place of ready: there is no event "tick"; the events are {", ".join(EVENT_NAMES)}',
        ),
        (
            b'{"type":"ready","protocol":1,"events":[["bid"]]}',
            f'in place of ready: there is no event ["bid"]; the events are {", ".join(EVENT_NAMES)}',
        ),
    ],
)
def test_not_ready(line, detail):
    """Anything in the place of `ready` is garbage, and who prints a banner is told where to print it."""
    assert read_ready(line) == Fault("garbage", detail, line)


def test_lines_to_the_bot_are_ascii():
    """A text beyond ASCII is escaped as JSON has it; a line has one line feed, at its end."""
    line = encode_line(FaultNotice(None, "garbage", 'not "ä", not\n🃏'))
    assert line == b'{"type":"fault","id":null,"kind":"garbage","detail":"not \\"\\u00e4\\", not\\n\\ud83c\\udccf"}\n'


def test_raw_line_is_cut():
    """Of an offending line 200 bytes are kept."""
    assert Fault("garbage", "x", b"y" * 1_000).raw == b"y" * 200
    assert str(Fault("garbage", "x")) == "garbage: x"
