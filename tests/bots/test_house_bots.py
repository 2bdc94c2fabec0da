"""The house bots over real pipes and in a small game of their own."""

import ast
import json
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from .arena import BOTS, CLASSIC, CLASSIC_SIZES, PACK, Table, deal_hand, game_start, load, play_match

NAMES = ["random", "lowest", "counter", "sampler"]
RULES: dict[str, dict[str, Any]] = {
    "classic": CLASSIC,
    "ascending": CLASSIC | {"hook": False, "change_bid": False, "no_trump": "last"},
    "la-podrida": CLASSIC | {"hook": False, "change_bid": False, "no_trump": "last", "must_trump": True},
    "devils-bridge": CLASSIC | {"change_bid": False, "blind": "last"},
    "nomination-whist": CLASSIC
    | {"change_bid": False, "trump": "list", "trumps": ["S", "H", "C", "D", "NT"], "miss": "tricks"},
    "rikiki": CLASSIC | {"change_bid": False, "blind": "ones", "miss": "difference"},
    "largest": CLASSIC | {"no_trump": "largest", "hook": 3},
    "sealed": CLASSIC | {"bids": "sealed", "hook": False, "change_bid": False, "zero": "size"},
}
HELLO = {"type": "hello", "protocol": 1, "game": "oh-hell", "runner": "1.0.0"}


def request(kind: str, **fields: Any) -> dict[str, Any]:
    """A request of four players in a hand of two cards, but for the fields given."""
    players = len(fields.get("bids", [0] * 4))
    values = {
        "type": f"request_{kind}",
        "id": 8127,
        "legal": [0, 1, 2],
        "game": 1,
        "hand": 4,
        "size": 2,
        "seat": 0,
        "dealer": players - 1,
        "turned": "7H",
        "trump": "H",
        "cards": ["4D", "AS"],
        "shown": None,
        "bids": [None] * players,
        "won": [0] * players,
        "leader": 0,
        "trick": [],
        "tricks": [],
        "totals": [0] * players,
    }
    return values | fields


def one_card(card: str, seat: int = 0, **fields: Any) -> dict[str, Any]:
    bids = [0] * seat + [None] * (4 - seat)
    return request("bid", size=1, legal=[0, 1], cards=[card], seat=seat, bids=bids, **fields)


FULL_HAND = sorted(Random(3).sample(PACK, 17), key=PACK.index)
REQUESTS = {
    "a bid": request("bid"),
    "a bid under the hook": request("bid", seat=3, legal=[1, 2], bids=[1, 1, 0, None]),
    "a bid that may be changed": request("bid", legal=[0, 1, 2], standing=2, bank_ms=4000),
    "a bid on a blind hand": request(
        "bid", size=1, seat=1, legal=[0, 1], cards=None, shown=[["QS"], None, ["2D"], ["KC"]]
    ),
    "a bid on a blind hand, led by this seat": request(
        "bid", size=1, legal=[0, 1], cards=None, shown=[None, ["QS"], ["2D"], ["KC"]]
    ),
    "a bid on two blind cards": request("bid", cards=None, shown=[None, ["2C", "QS"], ["2D", "3H"], ["KC", "KH"]]),
    "a bid without trump": request("bid", turned=None, trump=None),
    "a bid on seventeen cards": request(
        "bid", size=17, bids=[None] * 3, legal=list(range(18)), cards=FULL_HAND, turned=None, trump="S"
    ),
    "a bid among seven": request(
        "bid", size=7, bids=[1, 2, None, None, None, None, None], seat=2, legal=list(range(8)), cards=PACK[:49:7]
    ),
    "a bid on thirteen cards, all dealt": request(
        "bid", size=13, legal=list(range(14)), cards=PACK[::4], turned=None, trump=None
    ),
    "a lead": request("play", legal=["4D", "AS"], bids=[1, 1, 0, 1]),
    "a lead of seventeen cards": request(
        "play", size=17, bids=[5, 6, 4], won=[0] * 3, legal=FULL_HAND, cards=FULL_HAND, turned=None
    ),
    "following": request("play", seat=2, legal=["5S", "9S"], cards=["5S", "9S"], bids=[1, 1, 0, 1], trick=["AS", "KS"]),
    "a duty to trump": request(
        "play", seat=2, size=3, legal=["5H", "9H"], cards=["2C", "5H", "9H"], bids=[1, 1, 0, 1], trick=["AS", "KS"]
    ),
    "the last two of thirteen tricks": request(
        "play",
        size=13,
        seat=1,
        leader=0,
        turned=None,
        trump=None,
        legal=["AC", "AD"],
        cards=["AC", "AD"],
        bids=[3, 3, 3, 3],
        won=[3, 3, 3, 2],
        trick=["KH"],
        tricks=[{"leader": 0, "winner": 0, "cards": [rank + suit for suit in "SCDH"]} for rank in "23456789TJQ"],
    ),
}
EVENTS = [
    {"type": "hand_start", "game": 1, "hand": 4},
    {"type": "bid", "game": 1, "seat": 0, "bid": 1},
    {"type": "never heard of", "cards": [1, {"a": None}]},
    {"type": "hand_end", "game": 1, "hand": 4},
]


def converse(name: str, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The bot's answers to the lines; its input then ends, and so must the bot."""
    sent = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    command = [sys.executable, "bot.py"]
    done = subprocess.run(
        command, cwd=BOTS / name, input=sent.encode(), capture_output=True, timeout=60, check=True, env={}
    )
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def start(seed: int = 193847112, players: int = 4, rules: dict[str, Any] = CLASSIC) -> dict[str, Any]:
    return game_start(0, [2] * 5, rules, players, seed)


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_request_gets_its_own_id_and_a_legal_answer(name: str) -> None:
    """Each request, with events and unknown lines between, is answered by one line with its id and a legal value."""
    lines = [HELLO]
    asked = []
    for number, special in enumerate(REQUESTS.values()):
        question = special | {"id": 9007199254740000 - number, "a field of later days": {"x": 1}}
        asked.append(question)
        rules = CLASSIC | {"must_trump": "trick" in special, "zero": ["ten", "size"][number % 2]}
        lines += [start(number, len(special["bids"]), rules), *EVENTS, question]
    ready, *answers = converse(name, lines)
    assert ready == {"type": "ready", "protocol": 1}
    assert len(answers) == len(asked)
    for question, answer in zip(asked, answers, strict=True):
        key = "bid" if question["type"] == "request_bid" else "card"
        assert answer.keys() == {"id", key}
        assert answer["id"] == question["id"]
        assert answer[key] in question["legal"]


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_waits_for_no_second_line_and_leaves_on_quit(name: str) -> None:
    """An answer arrives while the input stays open, and `quit` ends the bot though its input does not."""
    process = subprocess.Popen(
        [sys.executable, "bot.py"], cwd=BOTS / name, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        for question in (HELLO, REQUESTS["a bid"]):
            if question is not HELLO:
                process.stdin.write(json.dumps(start()) + "\n")
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())
        process.stdin.write('{"type":"quit"}\n')
        process.stdin.flush()
        assert process.wait(timeout=30) == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_decides_every_answer(name: str) -> None:
    """The same game with the same seed gets the same answers, in a fresh process or later in the same one."""
    questions = [question for question in REQUESTS.values() if len(question["bids"]) == 4]
    game = [start(seed=5), *questions]
    _, *answers = converse(name, [HELLO, *game, start(seed=6), *questions, *game])
    first, third = answers[: len(questions)], answers[-len(questions) :]
    assert first == third == converse(name, [HELLO, *game])[1:]


def test_another_seed_gives_random_other_answers() -> None:
    """The random bot does not repeat itself from game to game."""
    questions = list(REQUESTS.values())
    first = converse("random", [HELLO, start(seed=1), *questions])
    assert first != converse("random", [HELLO, start(seed=2), *questions])


@pytest.mark.parametrize("name", ["lowest", "counter"])
def test_a_bot_without_memory_answers_from_the_request_alone(name: str) -> None:
    """Neither the order of the requests nor what came before changes an answer."""
    questions = [question | {"id": number} for number, question in enumerate(REQUESTS.values())]
    forwards = converse(name, questions)
    assert sorted(converse(name, [*questions[::-1]]), key=lambda answer: answer["id"]) == forwards


@pytest.mark.parametrize("name", ["counter", "sampler"])
@pytest.mark.parametrize(
    ("question", "right"),
    [
        (one_card("AH"), 1),
        (one_card("AH", seat=3), 1),
        (one_card("2C", seat=2, trump="H"), 0),
        (request("bid", size=1, legal=[0, 1], cards=None, shown=[None, ["AH"], ["KH"], ["QH"]]), 0),
        (request("bid", size=1, legal=[0, 1], cards=None, shown=[None, ["2C"], ["2D"], ["2S"]]), 1),
        (request("bid", size=1, legal=[0, 1], seat=2, cards=None, shown=[["AC"], ["2D"], None, ["2S"]]), 0),
        (request("play", legal=["2S", "AS"], cards=["2S", "AS"], seat=3, bids=[0, 1, 0, 1], trick=["3S", "4S", "5S"])
         | {"won": [0, 0, 0, 0]}, "AS"),
        (request("play", legal=["2S", "9S"], cards=["2S", "9S"], seat=3, bids=[1, 1, 0, 0], trick=["3S", "KS", "5S"]),
         "9S"),
        (request("play", legal=["3S", "KS"], cards=["3S", "KS"], seat=3, bids=[1, 1, 1, 0], trick=["4S", "AS", "5S"]),
         "KS"),
    ],
    ids=[
        "the ace of trumps wins",
        "the ace of trumps wins from the last seat too",
        "the lowest side card wins nothing",
        "blind against the three highest trumps",
        "blind in the lead against twos",
        "blind against a side ace that was led",
        "last, one to win: take it",
        "last, none to win: stay below with the higher card",
        "last, none to win: be rid of the king under the ace",
    ],
)  # fmt: skip
def test_what_any_player_would_do(name: str, question: dict[str, Any], right: int | str) -> None:
    """Positions with one right answer."""
    bot = load(name)
    if name == "sampler":
        bot.begin(start())
    answer = bot.choose_bid(question) if question["type"] == "request_bid" else bot.choose_card(question)
    assert answer == right


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("players", [3, 4, 5, 6, 7])
def test_whole_games_are_legal_under_every_rule(players: int, rules: dict[str, Any]) -> None:
    """The arena fails on any answer that is not legal, over all bots and forms of the rules."""
    largest = (52 - (rules["trump"] == "turned" and rules["no_trump"] == "none")) // players
    sizes = [largest, 2, 1, min(5, largest)] + ([1] if rules["blind"] == "last" else [largest])
    bots = [load(NAMES[-1 - seat % 4]) for seat in range(players)]
    for bot in bots:
        bot.BUDGET = 100  # what is legal does not depend on how many deals the sampler tries
    rng = Random(players)
    deals = [deal_hand(rng, players, sizes, number, rules) for number in range(len(sizes))]
    table = Table(bots, sizes, rules)
    table.play(deals)
    assert len(table.asked) > players * len(sizes)


def voids(question: dict[str, Any], must_trump: bool) -> list[set[str]]:
    """The suits of which each seat has shown that it has no card left."""
    players = len(question["bids"])
    shown: list[set[str]] = [set() for _ in range(players)]
    for trick in [*question["tricks"], {"leader": question["leader"], "cards": question["trick"]}]:
        for place, card in enumerate(trick["cards"]):
            if card[1] != trick["cards"][0][1]:
                seat = (trick["leader"] + place) % players
                shown[seat].add(trick["cards"][0][1])
                if must_trump and card[1] != question["trump"]:
                    shown[seat].add(question["trump"])
    return shown


@given(
    seed=st.integers(0, 10**6),
    players=st.integers(3, 7),
    rules=st.sampled_from(["classic", "la-podrida", "rikiki", "largest", "sealed"]),
)
@settings(max_examples=40, derandomize=True, deadline=None)
def test_sampled_deals_agree_with_all_that_is_known(seed: int, players: int, rules: str) -> None:
    """Whatever the position, dealt hands have the right sizes, no card twice or already seen, and no void suit."""
    rng, sizes = Random(seed), [52 // players, 1]
    table = Table([load("random") for _ in range(players)], sizes, RULES[rules], seed)
    table.play([deal_hand(rng, players, sizes, number, RULES[rules]) for number in range(2)])
    bot = load("sampler")
    for seat, question, _ in rng.sample(table.asked, min(12, len(table.asked))):
        bot.begin(game_start(seat, sizes, RULES[rules], players, seed))
        position = bot.Position(question)
        names = {bit: card for card, bit in position.pack.bit.items()}
        hands = [[names[bit] for bit in hand] for hand in position.deal()]
        seen = [card for trick in question["tricks"] for card in trick["cards"]] + question["trick"]
        everything = [
            *seen,
            *([question["turned"]] if question["turned"] else []),
            *(card for hand in hands for card in hand),
        ]
        assert len(everything) == len(set(everything))
        played = [0] * players
        for place in range(len(question["trick"])):
            played[(question["leader"] + place) % players] += 1
        sizes_left = [question["size"] - len(question["tricks"]) - count for count in played]
        assert [len(hand) for hand in hands] == sizes_left
        for hand, none in zip(hands, voids(question, RULES[rules]["must_trump"]), strict=True):
            assert not none & {card[1] for card in hand}
        if question["cards"] is not None:
            assert sorted(hands[seat]) == sorted(question["cards"])
        for other, cards in enumerate(question["shown"] or []):
            assert cards is None or hands[other] == cards


def test_a_tight_deal_is_found_by_exchange() -> None:
    """Where only one deal is possible it is found, though the first to choose may take another's only card."""
    bot = load("sampler")
    for seed in range(20):
        bot.begin(start(seed=seed))
        position = bot.Position(request("play", legal=["4D", "AS"], bids=[0, 1, 1, 1]))
        bit, suits = position.pack.bit, position.pack.suit
        club, diamond, spade = bit["2C"], bit["2D"], bit["2S"]
        position.unseen, position.missing = [club, diamond, spade], {1: 1, 2: 1, 3: 1}
        position.allowed[1] = suits[club] | suits[spade]
        position.allowed[2] = position.allowed[3] = suits[club] | suits[diamond]
        _, first, second, third = position.deal()
        assert first == [spade]
        assert {*second, *third} == {club, diamond}


def test_the_sampler_is_quick_with_the_largest_hands() -> None:
    """Seventeen cards at three players take far less than the second that a move may last."""
    bot = load("sampler")
    for name in ("a bid on seventeen cards", "a lead of seventeen cards"):
        bot.begin(start(players=3))
        began = time.process_time()
        (bot.choose_bid if "bid" in name else bot.choose_card)(REQUESTS[name])
        assert time.process_time() - began < 0.3


def test_each_house_bot_is_stronger_than_the_one_before() -> None:
    """Over a few deals in all rotations the order of the points is random, lowest, counter, sampler."""
    bots = [load(name) for name in NAMES]
    bots[-1].BUDGET = 1500  # a quarter of its deals keeps the test short
    matches = [play_match(NAMES, CLASSIC_SIZES, CLASSIC, seed, bots) for seed in range(3)]
    scores = [sum(entrant) for entrant in zip(*matches, strict=True)]
    assert scores == sorted(scores)
    assert len(set(scores)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_bot_stands_alone(name: str) -> None:
    """A bot's directory holds its manifest and one program, which imports the standard library and nothing else."""
    directory = BOTS / name
    assert {path.name for path in directory.iterdir()} - {"__pycache__"} == {"bot.yaml", "bot.py"}
    manifest = yaml.safe_load((directory / "bot.yaml").read_text())
    assert manifest.keys() == {"name", "command", "language", "author", "version"}
    assert manifest["name"] == name
    assert manifest["command"] == ["python3", "bot.py"]
    imported = set()
    for node in ast.walk(ast.parse((directory / "bot.py").read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "a relative import")
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize("name", ["quickstart", "house-bots"])
def test_the_tournaments_name_every_house_bot(name: str) -> None:
    """The paths of the entrants lead from the tournament file to the bots."""
    path = Path(__file__).parents[2] / "tournaments" / f"{name}.yaml"
    tournament = yaml.safe_load(path.read_text())
    assert tournament["name"] == name
    assert [(path.parent / entrant).resolve() for entrant in tournament["entrants"]] == [BOTS / name for name in NAMES]
