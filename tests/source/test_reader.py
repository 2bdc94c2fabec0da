"""The strict reading of YAML, apart from what a file means."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.source.problems import START, Problem
from runner.source.reader import MAX_BYTES, parse, read
from runner.source.tree import Fields, Items, Scalar


def values(text: str) -> dict[str, object]:
    root, problems = parse(text.encode())
    assert problems == []
    assert isinstance(root, Fields)
    return {key.text: value.value if isinstance(value, Scalar) else value for key, value in root.pairs}


def refusals(data: bytes) -> list[str]:
    return [f"{each.place} {each.sentence}" for each in parse(data)[1]]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("4", 4),
        ("-4", -4),
        ("0.1", 0.1),
        (".5", 0.5),
        ("1e5", 100000.0),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        # What YAML 1.1 makes booleans, octal, base 60, dates or numbers of is text here.
        ("no", "no"),
        ("on", "on"),
        ("012", "012"),
        ("0x10", "0x10"),
        ("0b1", "0b1"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("2026-01-31", "2026-01-31"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("1e999", "1e999"),
        ("9" * 30, "9" * 30),
        ('"4"', "4"),
        ("'no'", "no"),
        ("'it''s'", "it's"),
    ],
)
def test_a_plain_scalar_means_what_it_looks_like(written: str, value: object) -> None:
    """Scalars follow the short rules of YAML 1.2; quotes make text."""
    found = values(f"key: {written}\n")["key"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("written", ["0x10", "1e5", "1.10", "012", "true", "9" * 5000, "a b  c"])
def test_a_plain_scalar_keeps_its_source_text(written: str) -> None:
    """Who needs the text exactly as written (a seed) has it, whatever the value is."""
    root, _ = parse(f"seed: {written}  # a comment\n".encode())
    assert isinstance(root, Fields)
    node = root.get("seed")
    assert isinstance(node, Scalar)
    assert (node.text, node.plain) == (written, True)


def test_places_count_lines_and_characters_from_one() -> None:
    """Every node knows where it starts, with CR LF and with characters of several bytes too."""
    root, _ = parse("é: 1\r\nlist:\r\n  - ü\r\n  - {a: b}\r\n".encode())
    assert isinstance(root, Fields)
    items = root.get("list")
    assert isinstance(items, Items)
    assert [str(item.place) for item in items.items] == ["3:5", "4:5"]
    mapping = items.items[1]
    assert isinstance(mapping, Fields)
    assert str(mapping.pairs[0][1].place) == "4:9"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a: &x 1\n", ["1:4 `&x` is an anchor, which is not used here: remove it."]),
        (b"a: 1\nb: *x\n", ["2:4 `*x` is an alias, which is not used here: write the value out."]),
        (
            b"a: !!python/object/apply:os.system [ls]\n",
            ["1:4 `!!python/object/apply:os.system` is a tag, which is not used here: remove it."],
        ),
        (b"<<: {a: 1}\n", ["1:1 `<<` merges mappings, which is not used here: write the keys out."]),
        (
            b'3: a\nb: {c: 1, c: 2}\n"3": c\n',
            [
                "2:11 The key `c` stands here a second time (first at 2:5): remove one.",
                "3:1 The key `3` stands here a second time (first at 1:1): remove one.",
            ],
        ),
        (b"? [a]\n: 1\n", ["1:3 A key has to be one word, not a list or a mapping."]),
        (b"?\n: 1\n", ["1:2 A key is missing before this colon."]),
        (b"a: 1\n---\nb: 2\n", ["2:1 A second document begins here: a file holds one."]),
        (b"\xef\xbb\xbfa: 1\n", ["1:1 The file begins with a byte order mark: save it as UTF-8 without BOM."]),
        ("a: 1\n".encode("utf-16"), ["1:1 The file is UTF-16: save it as UTF-8."]),
        (b"a: 1\nb: \xc3\xa9\xe9\n", ["2:5 The byte 0xe9 is not UTF-8: save the file as UTF-8."]),
        (b"a: 1\nb: \0\n", ["2:4 The file has a \\x00 character here, which cannot be printed: remove it."]),
        (b"a: \x1b[2J\n", ["1:4 The file has a \\x1b character here, which cannot be printed: remove it."]),
        (b'a: "\\ud800"\n', ["1:4 An escape here is half of a character (a surrogate): write the character."]),
        (b'a: "\\UFFFFFFFF"\n', ["1:7 A number or an escape here is out of range."]),
        (b"%YAML 1." + b"1" * 5000 + b"\n", ["1:9 A number or an escape here is out of range."]),
        (b"[" * 60_000, ["1:17 Lists and mappings are nested more than 16 deep here."]),
        (b"- " * 30_000, ["1:33 Lists and mappings are nested more than 16 deep here."]),
        (b"a: b: c\n", ["1:5 This colon does not fit here: check the indentation, or put the text in quotes."]),
        (b"a:\n\t- b\n", ["2:1 A line is indented with a tab: use spaces."]),
        (b"a: 1\nfoo\nb: 2\n", ["2:1 This line has no `key: value`: check the indentation and the colon."]),
        (b"a: 'x\nb: 1\n", ["1:4 This quote is never closed."]),
        (b"- a\nb: c\n", ["2:1 This line does not line up with the lines it belongs to: check the indentation."]),
        (b"a: [1, 2\nb: 3\n", ["2:2 A comma or the closing `]` is missing here."]),
        (b"a: {b: 1\nc: 3\n", ["2:2 A comma or the closing `}` is missing here."]),
        (b"a: @x\n", ["1:4 Text that begins with @ has to be in quotes."]),
        (b"a: %x\n", ["1:4 Text that begins with % has to be in quotes."]),
    ],
)
def test_what_is_refused_says_where_and_what_to_do(data: bytes, expected: list[str]) -> None:
    """Each thing that is not used here, and each slip in writing YAML, has a sentence of its own and a place."""
    assert refusals(data) == expected


def test_an_alias_bomb_stays_small() -> None:
    """Aliases are not followed, so nine levels of nine of them are eighty-odd problems and no more."""
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    assert len(refusals("\n".join(lines).encode())) == 10 + 9 * 9


def test_an_empty_document_is_no_tree_and_no_problem() -> None:
    """Nothing, comments and an explicit null are all an empty document."""
    for data in (b"", b"# only a comment\n", b"---\n", b"~\n"):
        assert parse(data) == (None, [])


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    """A missing file, a directory, a FIFO and a file that is too large are refused without waiting or reading on."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "large").write_bytes(b"#" * (MAX_BYTES + 1))
    (tmp_path / "full").write_bytes(b"#" * MAX_BYTES)
    for name, sentence in {
        "missing": "The file cannot be read: No such file or directory.",
        ".": "The file cannot be read: Is a directory.",
        "fifo": "This is not a regular file.",
        "large": "The file is larger than 65,536 bytes: make it shorter.",
        "a\0b": "The file cannot be read: embedded null byte.",
    }.items():
        assert read(tmp_path / name) == (None, [Problem(START, sentence)])
    assert read(tmp_path / "full") == (None, [])


def test_a_link_is_followed_unless_told_not_to(tmp_path: Path) -> None:
    """A person may name a link; what a foreign directory holds is not to lead elsewhere."""
    (tmp_path / "file").write_text("a: 1\n")
    (tmp_path / "link").symlink_to("file")
    root, problems = read(tmp_path / "link")
    assert isinstance(root, Fields)
    assert problems == []
    root, [problem] = read(tmp_path / "link", follow=False)
    assert root is None
    assert problem.sentence.startswith("The file cannot be read: ")


_YAML_MARKS = st.text(alphabet="ab01:-?[]{},&*!|>'\"%@`#~<. \n\t\\xuU\ud7ff\u2028\x85é", max_size=60)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.one_of(st.binary(max_size=60), _YAML_MARKS.map(str.encode), st.text(max_size=40).map(str.encode)))
def test_no_bytes_whatever_raise(data: bytes) -> None:
    """Bytes give a tree or at least one problem, or an empty document; never an exception."""
    root, problems = parse(data)
    assert root is None or isinstance(root, Scalar | Items | Fields)
    assert all(each.place.line >= 1 and each.place.column >= 1 and each.sentence for each in problems)
