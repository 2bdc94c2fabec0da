"""Tournament files: what they say, and every way in which they are refused."""

import dataclasses
import random
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner import data
from runner.entrant.cpus import count_cpus
from runner.entrant.errors import EntrantError
from runner.game.presets import resolve_rules
from runner.protocol.messages import WireClock
from runner.source.problems import Problem
from runner.tournament.config import Tournament, load_tournament
from runner.tournament.problems import ConfigError

Load = Callable[[str], Tournament]
Refusals = Callable[[str], list[str]]

BOT = "#!/usr/bin/env python3\n"


def make_bot(directory: Path) -> None:
    directory.mkdir(parents=True)
    (directory / "bot.py").write_text(BOT)
    (directory / "bot.yaml").write_text("command: [python3, bot.py]\n")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with tournament files to be, bots beside them, and a house of its own."""
    base = tmp_path_factory.mktemp("place")
    for name in ("ann", "bob", "cid", "dot", "eve"):
        make_bot(base / "bots" / name)
    (base / "bots" / "README.md").write_text("About these bots.\n")
    (base / "bots" / "__pycache__").mkdir()
    (base / "broken" / "empty").mkdir(parents=True)
    make_bot(base / "lowest")
    make_bot(base / "Grüße an Ω!")
    make_bot(base / "house-9")
    make_bot(base / "odd" / "[x]")
    (base / "solo.py").write_text(BOT)
    make_bot(base / ("n" * 41))
    for name in ("counter", "lowest", "random"):
        make_bot(base / "house" / name)
    return base


@pytest.fixture
def load(place: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    monkeypatch.setattr(data, "bots_dir", lambda: place / "house")

    def load_text(text: str) -> Tournament:
        file = place / "cup.yaml"
        file.write_text(text, encoding="utf-8")
        return load_tournament(file)

    return load_text


@pytest.fixture
def refusals(load: Load, place: Path) -> Refusals:
    def refused(text: str) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(text)
        lines = str(caught.value).split("\n")
        assert len(lines) == len(caught.value.problems) > 0
        return [line.removeprefix(f"{place / 'cup.yaml'}:").replace(str(place), "PLACE") for line in lines]

    return refused


def ids(tournament: Tournament) -> list[str]:
    return [each.id for each in tournament.entrants]


def test_every_default(load: Load, place: Path) -> None:
    """A file that only lists its entrants gets the defaults of the documentation."""
    cup = load("entrants: [bots/*]\n")
    assert (cup.path, cup.name, cup.seed) == (place / "cup.yaml", "cup", None)
    assert (cup.rules, cup.table) == (resolve_rules("classic"), 4)
    assert cup.game_rules == cup.rules.for_players(4)
    assert ids(cup) == ["ann", "bob", "cid", "dot", "eve"]
    assert (cup.format, cup.replicates, cup.matches, cup.full_up_to) == ("round_robin", 1, 40, 150)
    assert cup.clock == WireClock(5000, 1000, 5500, None)
    assert (cup.restart, cup.isolation, cup.opponents, cup.rank_by) == ("never", "auto", "hidden", "adjusted")
    assert cup.faults.broken == "refuse"
    assert (cup.faults.disqualify.matches, cup.faults.disqualify.share) == (3, 0.1)
    assert cup.workers == count_cpus()


def test_every_key(load: Load) -> None:
    """Every key that is available is taken over."""
    cup = load("""
name: Spring cup 2026
seed: 42
rules: {preset: ascending, hook: true}
table: 3
entrants: [bots/ann, bots/bob, bots/cid]
format: round_robin
challengers: []
replicates: 7
matches: 12
full_up_to: 0
apart: null
budget: ~
clocks: {start_ms: 9000, move_ms: 50, bank_ms: 8000, freeze: false}
restart: match
limits:
faults: {broken: exclude, disqualify: {matches: 0, share: 1}}
isolation: limits
workers: 2
executor: local
opponents: shown
rank_by: points
rulings: []
""")
    assert cup.name == "Spring cup 2026"
    assert (cup.table, len(cup.game_rules.sizes), cup.rules.hook) == (3, 15, True)
    assert (cup.replicates, cup.matches, cup.full_up_to, cup.workers) == (7, 12, 0, 2)
    assert cup.clock == WireClock(9000, 50, 750, 8000)
    assert (cup.restart, cup.isolation, cup.opponents, cup.rank_by) == ("match", "limits", "shown", "points")
    assert (cup.faults.broken, cup.faults.disqualify.matches, cup.faults.disqualify.share) == ("exclude", 0, 1.0)


@pytest.mark.parametrize(
    "written",
    ["42", "0x10", "1e5", "1.10", "012", "1:30", "2026-01-31", "no", "on", "true", "-0", "9" * 63, "two words", "a#b"],
)
def test_a_seed_is_taken_exactly_as_written(load: Load, written: str) -> None:
    """No reading as a number, a boolean or a date comes between the file and the hash; such a seed is guessable."""
    for text in (written, f'"{written}"', f"{written}   # practice"):
        seed = load(f"entrants: [bots/ann]\nseed: {text}\n").seed
        assert seed is not None
        assert seed.bytes_ == sha256(b"ohhell-seed-v1\0" + written.encode()).digest()
        assert (seed.text, seed.guessable) == (written, True)


def test_sixty_four_digits_are_the_seed_itself(load: Load) -> None:
    """Hexadecimal digits are bytes, also where they look like a number."""
    for digits in ("0" * 64, "1" * 64, "aB" * 32):
        seed = load(f"entrants: [bots/ann]\nseed: {digits}\n").seed
        assert seed is not None
        assert (seed.bytes_, seed.guessable) == (bytes.fromhex(digits), False)
    seed = load("entrants: [bots/ann]\nseed: 42\n").seed
    assert seed is not None
    # Vector of the seed construction.
    assert seed.bytes_.hex() == "7eb05d96d2cc80ea82a4209e3ad65736ef6680b126626c8b4ca82a5a4356fa51"


def test_entrants_by_every_form_of_list(load: Load, place: Path) -> None:
    """File order holds, a pattern is sorted by id, a bare file has its stem, and what is there wins over the house."""
    cup = load("""
entrants:
  - solo.py
  - bots/[b-d]*
  - lowest
  - random
  - {path: bots/ann, id: Team Ann!}
  - {path: "Grüße an Ω!"}
  - odd/[x]
  - {path: bots/eve, copies: 2}
""")
    assert ids(cup) == [
        *("solo", "bob", "cid", "dot", "lowest", "random", "team-ann", "gr-e-an", "x"),
        *("eve-1", "eve-2"),
    ]
    paths = {each.id: each.path for each in cup.entrants}
    assert paths["lowest"] == place / "lowest"
    assert paths["random"] == place / "house" / "random"
    assert str(next(each.place for each in cup.entrants if each.id == "cid")) == "4:5"
    assert cup.broken == ()
    assert not any(each.is_house for each in cup.entrants)


def test_entrants_by_mapping(load: Load) -> None:
    """In a mapping the key is the id, also one that YAML 1.1 would make a boolean or a number of."""
    cup = load("entrants: {on: bots/ann, 07: bots/bob, x: {path: bots/cid, copies: 1}, from: random}\n")
    assert ids(cup) == ["on", "07", "x-1", "from"]


def test_a_pattern_says_what_it_passes_over(load: Load) -> None:
    """Files beside the bots are no entrants, and a person is told so."""
    assert load("entrants: [bots/*]\n").notes == (
        "`bots/*` passes over README.md and __pycache__: they cannot be bots.",
    )


def test_the_house_fills_up_a_small_field(load: Load, place: Path) -> None:
    """Fewer entrants than seats get copies of the house's counter, known as such."""
    cup = load("table: 5\nentrants: [bots/ann, counter]\n")
    assert ids(cup) == ["ann", "counter", "house-1", "house-2", "house-3"]
    assert [each.is_house for each in cup.entrants] == [False, False, True, True, True]
    assert {each.path for each in cup.entrants if each.is_house} == {place / "house" / "counter"}


def test_a_bot_that_cannot_start_is_no_error_of_the_file(load: Load, place: Path) -> None:
    """It stands among the entrants with its error; `faults.broken` says whether that is the end or it is left out."""
    cup = load("entrants:\n  - bots/*\n  - broken/*\n")
    (broken,) = [each for each in cup.entrants if isinstance(each.bot, EntrantError)]
    assert (broken.id, str(broken.place)) == ("empty", "3:5")
    with pytest.raises(ConfigError) as caught:
        cup.refuse_broken()
    assert str(caught.value).startswith(f"{place / 'cup.yaml'}:3:5: The entrant `empty` cannot be started: ")

    cup = load("entrants: [bots/ann, bots/bob, bots/cid, broken/*]\nfaults: {broken: exclude}\n")
    cup.refuse_broken()
    assert [each.id for each in cup.playing] == ["ann", "bob", "cid", "house-1"]
    assert len(cup.broken) == 1

    cup = load("entrants: [broken/*]\nfaults: {broken: exclude}\n")
    with pytest.raises(ConfigError, match="cannot be started"):
        cup.refuse_broken()


def test_a_bot_whose_name_makes_no_id_is_given_one(load: Load, place: Path, refusals: Refusals) -> None:
    """The name of a directory is a matter of taste, and in the file there is a way to give an id."""
    make_bot(place / "日本")
    for entrants in ("[{path: 日本, id: nippon}]", "{nippon: 日本}"):
        cup = load(f"entrants: {entrants}\n")
        assert (ids(cup)[0], cup.entrants[0].path) == ("nippon", place / "日本")
    assert refusals("entrants: [日本]\n") == [
        "1:12: `日本` makes an id of 0 characters, 1 to 40 are allowed: rename it or give it an id."
    ]


def test_a_manifest_that_is_refused_is_so_at_its_own_place(load: Load, place: Path) -> None:
    """What is wrong in a bot.yaml is said with line and column of both files."""
    make_bot(place / "typo")
    (place / "typo" / "bot.yaml").write_text("name: x\ncomand: [python3, bot.py]\n")
    with pytest.raises(ConfigError) as caught:
        load("entrants: [bots/ann, typo]\n").refuse_broken()
    manifest = place / "typo" / "bot.yaml"
    assert str(caught.value) == (
        f"{place / 'cup.yaml'}:1:22: The entrant `typo` cannot be started: "
        f"{manifest}:2:1: There is no key `comand`. Did you mean `command`?"
    )


def test_all_errors_come_at_once_in_the_order_of_the_file(refusals: Refusals) -> None:
    """Misspelt keys, wrong values, rules, entrants and YAML's own traps are reported together."""
    assert refusals("""
name: a/b
tabel: 4
table: 08
seed: [1]
format: gauntlet
rules: {hook: on, chang_bid: true, sequence: sideways}
budget: {time_s: 3}
challengers: [ann]
apart: team
clocks: {start_ms: 1_000, move_ms: "7", freeze: on, bank_ms: -1, mov_ms: 3}
faults:
  broken: reject
  disqualify: {share: 2.0, matches: 1.0}
isolation: bwrap
workers: eight
restart: gmae
replicates:
executor: dask
opponents: true
rank_by: &x points
rulings: [{match: 1}]
limits: {memory_mb: 100}
entrants: [bots/ann, bots/nan, contuer]
""") == [
        "2:7: `name` is `a/b`: a name has 1 to 40 letters, digits, spaces and - _ . and begins with a letter or digit.",
        "3:1: There is no key `tabel`. Did you mean `table`?",
        "4:8: `table` must be a whole number from 3 to 7, not `08`. Write 8, without a zero in front.",
        "5:7: `seed` must be text, not a list.",
        "6:9: `format: gauntlet` is not available in this version: write round_robin.",
        '7:15: hook is true, false or the hand size from which it applies (1 to 17), not "on". Write true.',
        '7:19: There is no rule "chang_bid". Did you mean `change_bid`?',
        '7:46: sequence is one of down_up, up, down, up_down, not "sideways".',
        "8:9: `budget` is not available in this version: leave it out.",
        "9:14: `challengers` is not available in this version: leave it out.",
        "10:8: `apart` is not available in this version: leave it out.",
        "11:20: `clocks.start_ms` must be a whole number from 1 to 600,000, not `1_000`. Write it in plain digits.",
        '11:36: `clocks.move_ms` must be a whole number from 1 to 600,000, not `"7"`. Write it without quotes.',
        "11:49: `clocks.freeze` must be true or false, not `on`. Write true.",
        "11:62: `clocks.bank_ms` must be a whole number from 1 to 86,400,000, not `-1`.",
        "11:66: There is no key `clocks.mov_ms`. Did you mean `move_ms`?",
        "13:11: `faults.broken` must be exclude or refuse, not `reject`.",
        "14:23: `faults.disqualify.share` must be a number from 0 to 1, not `2.0`.",
        "14:37: `faults.disqualify.matches` must be a whole number from 0 to 1,000,000, not `1.0`.",
        "15:12: `isolation: bwrap` is not available in this version: write auto or limits.",
        "16:10: `workers` must be a whole number from 1 to 1,024, not `eight`.",
        "17:10: `restart` must be game, match or never, not `gmae`. Did you mean `game`?",
        "18:12: `replicates` has no value: write a whole number from 1 to 100,000, or leave the key out.",
        "19:11: `executor: dask` is not available in this version: write local.",
        "20:12: `opponents` must be hidden or shown, not `true`.",
        "21:10: `&x` is an anchor, which is not used here: remove it.",
        "22:10: `rulings` is not available in this version: leave it out.",
        "23:9: `limits` is not available in this version: leave it out.",
        "24:22: There is neither a file or directory nor a house bot `bots/nan`. Did you mean `ann`?",
        "24:32: There is neither a file or directory nor a house bot `contuer`. Did you mean `counter`?",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["1:1: The file is empty: it needs at least the key `entrants`."]),
        ("- bots/ann\n", ["1:1: A tournament file is a mapping of keys such as `entrants`, not a list."]),
        ("bots/ann\n", ["1:1: A tournament file is a mapping of keys such as `entrants`, not `bots/ann`."]),
        ("# about\nname: x\n", ["2:1: The key `entrants` is missing here."]),
        ("a: 1\n---\nb: 2\n", None),
        ("entrants:\n", ["1:10: `entrants` must be a list of paths or a mapping of ids to paths, not nothing."]),
        ("entrants: bots/*\n", None),
        ("entrants: []\n", ["1:11: No entrant is listed here: list at least one bot."]),
        ("entrants: {}\n", ["1:11: No entrant is listed here: list at least one bot."]),
        (
            "entrants: {from: runs/x, top: 4}\n",
            ["1:11: Entrants from another run are not available in this version: list them."],
        ),
        ("entrants: [" + "a," * 1001 + "]\n", ["1:11: These are 1,001 entrants, and a tournament has at most 1,000."]),
        (
            "entrants: [&a [*a]]\n",
            [
                "1:12: `&a` is an anchor, which is not used here: remove it.",
                "1:16: `*a` is an alias, which is not used here: write the value out.",
            ],
        ),
    ],
)
def test_files_of_a_wrong_form(refusals: Refusals, text: str, expected: list[str] | None) -> None:
    """A file that is no mapping, or has no entrants, says so."""
    found = refusals(text)
    assert expected is None or found == expected


@pytest.mark.parametrize(
    ("entrants", "expected"),
    [
        ("[bots/ann, bots/a*]", ["1:22: `ann` takes part already (listed at 1:12): for more of it, give it `copies`."]),
        (
            "[bots/ann, {path: ./bots/../bots/ann, id: b}]",
            ["1:29: `ann` takes part already (listed at 1:12): for more of it, give it `copies`."],
        ),
        (
            "[bots/ann, bots/ann/bot.yaml]",
            ["1:22: `ann` takes part already (listed at 1:12): for more of it, give it `copies`."],
        ),
        (
            "[bots/ann, {path: random, id: ANN}]",
            ["1:41: The id `ann` is taken (by the entrant at 1:12): give one of them another: {path: PATH, id: ID}."],
        ),
        (
            "{y: {path: bots/ann, copies: 2}, Y-2: random}",
            ["1:44: The id `y-2` is taken (by the entrant at 1:12): give one of them another: {path: PATH, id: ID}."],
        ),
        (
            "{x: {path: random, id: y}}",
            ["1:34: The key `x` is this entrant's id: leave `id` out."],
        ),
        ("{x: bots/*}", ["1:12: `bots/*` matches 5 bots, which cannot share one id: list it without `id`."]),
        ("[none/*]", ["1:12: No bot matches `none/*`; patterns are relative to the tournament file."]),
        (
            "[{path: random, id: '§§'}]",
            ["1:31: `§§` makes an id of 0 characters, 1 to 40 are allowed: rename it or give it an id."],
        ),
        (
            "[" + "n" * 41 + "]",
            [f"1:12: `{'n' * 41}` makes an id of 41 characters, 1 to 40 are allowed: rename it or give it an id."],
        ),
        (
            "[{path: random, id: " + "n" * 38 + ", copies: 10}]",
            [f"1:31: The id `{'n' * 38}-10` is longer than 40 characters: give a shorter `id`."],
        ),
        ("[house-9]", ["1:12: The id `house-9` begins with house-, which is kept for bots that fill up a table."]),
        ("[[random]]", ["1:12: An entrant is a path or a mapping with `path`; here stands a list."]),
        ("{x: }", ["1:14: An entrant is a path or a mapping with `path`; here of `x` stands nothing."]),
        (
            "{x: {id: y, team: red, limits: {a: 1}, copies: no}}",
            [
                "1:15: The key `x.path` is missing here.",
                "1:20: The key `x` is this entrant's id: leave `id` out.",
                "1:29: `x.team` is not available in this version: leave it out.",
                "1:42: `x.limits` is not available in this version: leave it out.",
                "1:58: `x.copies` must be a whole number from 1 to 100, not `no`.",
            ],
        ),
        (
            '["a\\0b", "", "\\e[31m"]',
            [
                "1:12: `a\\x00b` is not a path: it has to be printable text.",
                "1:20: `` is not a path: it has to be printable text.",
                "1:24: `\\x1b[31m` is not a path: it has to be printable text.",
            ],
        ),
        ("[" + "a" * 300 + "]", None),
        (
            "[nowhere]",
            [
                "1:12: There is neither a file or directory nor a house bot `nowhere`. "
                "The house bots are counter, lowest and random; paths are relative to `PLACE`."
            ],
        ),
    ],
)
def test_entrants_that_are_refused(refusals: Refusals, entrants: str, expected: list[str] | None) -> None:
    """Each thing that can be wrong with an entrant has a sentence of its own, at the place to change."""
    found = refusals(f"entrants: {entrants}\n")
    assert expected is None or found == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("kachufl", '2:8: There are no rules called "kachufl". Did you mean `kachuful`?'),
        (
            "[classic]",
            "2:8: `rules` must be the name of a preset or a mapping with `preset` and overrides, not a list.",
        ),
        ("", "2:7: `rules` must be the name of a preset or a mapping with `preset` and overrides, not nothing."),
        ("{preset: 7}", "2:17: preset is the name of a set of rules, not 7."),
        (
            "{max: 14}",
            "2:14: 14 cards for each of 4 players are 56, and the pack has 52; max can be at most 13 with 4 players.",
        ),
    ],
)
def test_rules_that_cannot_be_played(refusals: Refusals, rules: str, expected: str) -> None:
    """The rules are judged for the table's size, at the place in the file that asks for them."""
    assert refusals(f"entrants: [random]\nrules: {rules}\n") == [expected]


def test_rules_are_judged_for_the_table(load: Load, refusals: Refusals) -> None:
    """Thirteen cards each are for four players, not for five; with a wrong `table` only that is reported."""
    assert load("table: 4\nrules: {max: 13}\nentrants: [random]\n").game_rules.sizes[0] == 13
    assert [line[:5] for line in refusals("table: 5\nrules: {max: 13}\nentrants: [random]\n")] == ["2:14:"]
    assert [line[:5] for line in refusals("table: 9\nrules: {max: 13}\nentrants: [random]\n")] == ["1:8: "]


@pytest.mark.parametrize(
    "name", ["a/b", "..", ".x", "-x", "x.", "'x '", "''", "x" * 41, '"a\\nb"', '"a\\u202eb"', "a:b"]
)
def test_names_that_are_no_directory(refusals: Refusals, name: str) -> None:
    """The name becomes a directory's: no separators, no dot in front, nothing that cannot be seen."""
    assert [line[:5] for line in refusals(f"name: {name}\nentrants: [random]\n")] == ["1:7: "]


def test_a_name_is_text_as_written(load: Load, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`1.10` stays `1.10`, `no` stays `no`, a decomposed letter is composed; a bad file name needs a `name`."""
    for written, name in {"1.10": "1.10", "no": "no", "2026-01-31": "2026-01-31", "Co\u0302te": "Côte"}.items():
        assert load(f"name: {written}\nentrants: [random]\n").name == name
    file = place / "-x.yaml"
    file.write_text("entrants: [random]\n")
    with pytest.raises(ConfigError, match="`name` is missing, and the file's own, `-x`, cannot stand for it"):
        load_tournament(file)


def test_a_wall_cap_is_no_less_than_the_limit_it_caps(load: Load, refusals: Refusals) -> None:
    """Also where only the cap is given, and the limit is the default."""
    assert load("entrants: [random]\nclocks: {move_wall_ms: 1000}\n").clock.move_wall_ms == 1000
    assert refusals("entrants: [random]\nclocks: {move_wall_ms: 999}\n") == [
        "2:24: `clocks.move_wall_ms` is 999, less than `move_ms` (1,000): it has to be at least that."
    ]


def test_a_tournament_is_frozen(load: Load) -> None:
    """What was read cannot be changed by accident on the way to the workers."""
    cup = load("entrants: [random]\n")
    with pytest.raises(dataclasses.FrozenInstanceError):
        cup.table = 5  # type: ignore[misc]


WHOLE = """name: cup
seed: 42
rules: {preset: ascending, max: {4: 7}, hook: 3, trump: list, trumps: [S, NT], no_trump: none}
table: 4
entrants: [bots/*, {path: random, id: x, copies: 2}, lowest]
format: round_robin
replicates: 2
matches: 3
clocks: {start_ms: 5, move_ms: 5, move_wall_ms: 9, bank_ms: ~}
restart: game
faults: {broken: exclude, disqualify: {matches: 1, share: 0.5}}
isolation: auto
workers: 1
opponents: shown
rulings: []
"""
FRAGMENTS = [
    *"[]{}:,-?&*!|>'\"%@`#~\n \t\0é\u2028",
    *("null", "true", "no", "012", "0x1f", "1e400", "-1", "9" * 40, "<<", "*a", "&a ", "!!int ", "- ", ": ", "\n  "),
    *("path", "id", "from", "copies", "..", "/", "preset", "sizes", "trumps", "entrants", "clocks", '"\\ud800"', "**"),
]


def mutated(seed: int) -> str:
    """Return the whole file with some pieces cut out, doubled or put in elsewhere."""
    chance = random.Random(seed)
    text = WHOLE
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice([0, 0, 1, 3, 10, 40]))
        piece = chance.choice([*FRAGMENTS, text[start:end] * 2])
        text = text[:start] + piece + text[end:]
    return text


@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.one_of(st.integers(0, 2**32).map(mutated), st.text(max_size=80), st.text(max_size=30).map("entrants: {}".format))
)
def test_no_text_whatever_raises_anything_else(load: Load, text: str) -> None:
    """Whatever stands in a file, it is a tournament or a `ConfigError` with problems that have a place."""
    problems: tuple[Problem, ...] = ()
    try:
        load(text)
    except ConfigError as error:
        problems = error.problems
    assert all(each.place.line >= 1 and each.sentence.endswith((".", "?")) for each in problems)
