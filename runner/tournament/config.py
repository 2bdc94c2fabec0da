"""Reads a tournament file: what is to be played, by whom, on what terms; or all that is wrong with it."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from runner.entrant.cpus import count_cpus
from runner.entrant.errors import EntrantError
from runner.entrant.manifest import Restart
from runner.game.presets import resolve_rules
from runner.game.rules import GameRules, Rules, RulesError
from runner.game.stream import Seed, parse_seed
from runner.protocol.messages import WireClock
from runner.ratings.standings import RankBy
from runner.source.problems import START, Problem
from runner.source.reader import read
from runner.source.tree import Fields, Items, Node, Scalar, plain_data, shown
from runner.text import quoted
from runner.tournament.entrants import Entrant, house_entrants, read_entrants
from runner.tournament.keys import DEFAULT_TABLE, ClockKeys, FaultPolicy, FileKeys
from runner.tournament.problems import ConfigError
from runner.tournament.schema_check import check, switch_hint

MAX_NAME_LENGTH = 40

_RULE_KEYS = frozenset({"preset", *(each.name for each in fields(Rules))})
_NAME_MARKS = re.compile(r"[\w .-]+")


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament file as read: checked, with every default applied. Times are in `clock`, in milliseconds.

    `seed` is None where the file names none: the run draws one, or keeps the one it has. `entrants` are in file order,
    those that the house adds last; one whose `bot` is an `EntrantError` cannot be started. An entrant plays at least
    `matches` in a replicate where there are more than `full_up_to` tables. `notes` are for a person to see.
    """

    path: Path
    name: str
    seed: Seed | None
    rules: Rules
    game_rules: GameRules
    table: int
    entrants: tuple[Entrant, ...]
    format: Literal["round_robin", "gauntlet"]
    replicates: int
    matches: int
    full_up_to: int
    clock: WireClock
    restart: Restart
    faults: FaultPolicy
    isolation: str
    workers: int
    opponents: Literal["hidden", "shown"]
    rank_by: RankBy
    notes: tuple[str, ...]

    @property
    def playing(self) -> tuple[Entrant, ...]:
        """Return the entrants that can be started, those of the house last."""
        return tuple(each for each in self.entrants if not isinstance(each.bot, EntrantError))

    @property
    def broken(self) -> tuple[Problem, ...]:
        """Return what keeps each of the other entrants from being started."""
        return tuple(
            Problem(each.place or START, f"The entrant `{each.id}` cannot be started: {each.bot}")
            for each in self.entrants
            if isinstance(each.bot, EntrantError)
        )

    def refuse_broken(self) -> None:
        """Raise `ConfigError` if an entrant cannot be started and the file does not say to exclude it, or none can."""
        if self.broken and (self.faults.broken == "refuse" or all(each.is_house for each in self.playing)):
            raise ConfigError(self.path, self.broken)


def load_tournament(path: Path) -> Tournament:
    """Return the tournament that the file at `path` describes.

    Raises `ConfigError` with everything that is wrong with the file. A bot that cannot be started is not among it:
    `Tournament.refuse_broken` does what the file says of those.
    """
    root, refused = _root(path)
    keys, problems = check(root, FileKeys)
    name = _name(root, path, problems)
    seed = _seed(root, problems)
    rules = _rules(root, problems)
    game_rules = _game_rules(rules, root, problems) if rules else None
    _check_clocks(root, problems)
    entrants_node = root.get("entrants")
    entrants, notes = read_entrants(entrants_node, path.parent, problems) if entrants_node else ([], [])
    # What the source is refused for makes no sense to the checks that follow: one problem a place.
    places = {problem.place for problem in refused}
    problems = refused + [problem for problem in problems if problem.place not in places]
    if problems or keys is None or rules is None or game_rules is None:
        raise ConfigError(path, problems)
    able = sum(not isinstance(each.bot, EntrantError) for each in entrants)
    field = len(entrants) if keys.faults.broken == "refuse" else able
    return Tournament(
        path=path,
        name=name,
        seed=seed,
        rules=rules,
        game_rules=game_rules,
        table=keys.table,
        entrants=(*entrants, *house_entrants(keys.table - field)),
        format=keys.format,
        replicates=keys.replicates,
        matches=keys.matches,
        full_up_to=keys.full_up_to,
        clock=_clock(keys.clocks),
        restart=keys.restart,
        faults=keys.faults,
        isolation=keys.isolation,
        workers=keys.workers or count_cpus(),
        opponents=keys.opponents,
        rank_by=keys.rank_by,
        notes=tuple(notes),
    )


def _root(path: Path) -> tuple[Fields, list[Problem]]:
    """Return the mapping that the file is, and what it is refused for as YAML."""
    root, refused = read(path)
    if root is None and not refused:
        refused.append(Problem(START, "The file is empty: it needs at least the key `entrants`."))
    if isinstance(root, Items | Scalar):
        sentence = f"A tournament file is a mapping of keys such as `entrants`, not {shown(root)}."
        refused.append(Problem(root.place, sentence))
    if not isinstance(root, Fields):
        raise ConfigError(path, refused)
    return root, refused


def _name(root: Fields, path: Path, problems: list[Problem]) -> str:
    """Return the name of the tournament, which is that of its directory too."""
    node = root.get("name")
    if isinstance(node, Scalar) and node.value is not None:
        place, text, whose = node.place, node.text, f"`name` is {quoted(node.text)}"
    else:
        place, text = START, path.stem
        whose = f"`name` is missing, and the file's own, {quoted(text)}, cannot stand for it"
    text = unicodedata.normalize("NFC", text)
    if not (
        0 < len(text) <= MAX_NAME_LENGTH
        and _NAME_MARKS.fullmatch(text)
        and text.isprintable()
        and (text[0].isalnum() and not text.endswith((" ", ".")))
    ):
        rule = "a name has 1 to 40 letters, digits, spaces and - _ . and begins with a letter or digit"
        problems.append(Problem(place, f"{whose}: {rule}."))
    return text


def _seed(root: Fields, problems: list[Problem]) -> Seed | None:
    """Return the seed, taken exactly as written; an explicit null is no seed, like an absent key."""
    node = root.get("seed")
    if not isinstance(node, Scalar) or node.value is None:
        return None
    if not node.text:
        problems.append(Problem(node.place, "`seed` is empty: write one, or leave the key out for a random seed."))
        return None
    return parse_seed(node.text)


def _rules(root: Fields, problems: list[Problem]) -> Rules | None:
    node = root.get("rules")
    if node is None:
        return resolve_rules("classic")
    if isinstance(node, Items) or (isinstance(node, Scalar) and node.value is None):
        sentence = f"`rules` must be the name of a preset or a mapping with `preset` and overrides, not {shown(node)}."
        problems.append(Problem(node.place, sentence))
        return None
    try:
        return resolve_rules(node.text if isinstance(node, Scalar) else plain_data(node))
    except RulesError as error:
        problems += _rule_problems(error, node)
        return None


def _game_rules(rules: Rules, root: Fields, problems: list[Problem]) -> GameRules | None:
    """Return the rules for the table's number of players, if that is one."""
    table = root.get("table")
    players = table.value if isinstance(table, Scalar) else DEFAULT_TABLE
    if not isinstance(players, int) or not 3 <= players <= 7:
        return None  # reported as a wrong `table`
    try:
        return rules.for_players(players)
    except RulesError as error:
        problems += _rule_problems(error, root.get("rules") or table or root)
        return None


def _rule_problems(error: RulesError, node: Node) -> Iterator[Problem]:
    pairs = {pair[0].text: pair for pair in node.pairs} if isinstance(node, Fields) else {}
    for key, sentence in error.problems:
        if key not in pairs:
            yield Problem(node.place, sentence)
            continue
        name, value = pairs[key]
        known = key in _RULE_KEYS
        yield Problem(value.place if known else name.place, sentence + (switch_hint(value) if known else ""))


def _clock(clocks: ClockKeys) -> WireClock:
    wall_ms = 5 * clocks.move_ms + 500 if clocks.move_wall_ms is None else clocks.move_wall_ms
    return WireClock(clocks.start_ms, clocks.move_ms, wall_ms, clocks.bank_ms)


def _check_clocks(root: Fields, problems: list[Problem]) -> None:
    """Report a wall cap below the limit that it caps; the single values are checked by the schema."""
    clocks = root.get("clocks")
    wall = clocks.get("move_wall_ms") if isinstance(clocks, Fields) else None
    move = clocks.get("move_ms") if isinstance(clocks, Fields) else None
    move_ms = move.value if isinstance(move, Scalar) else ClockKeys().move_ms
    if not (isinstance(wall, Scalar) and type(wall.value) is int and type(move_ms) is int):
        return
    if wall.value < move_ms:
        sentence = (
            f"`clocks.move_wall_ms` is {wall.value:,}, less than `move_ms` ({move_ms:,}): it has to be at least that."
        )
        problems.append(Problem(wall.place, sentence))
