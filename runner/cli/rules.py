"""`ohhell rules`: the rules of the game, and of a preset."""

import json
from typing import Any

import click
from rich.text import Text

from runner.cli import COMMANDS
from runner.cli.rules_option import overrides_option, read_rules
from runner.game.presets import PRESETS, Preset, find_preset
from runner.game.rules import Rules
from runner.terminal import console
from runner.terminal.rules import GAME, KEYS, in_words, playable, preset_lines, rules_lines

JSON_VERSION = 1
EPILOG = """\b
The JSON of --json is one object: version 1 and
  presets, a list; or, with PRESET, preset, an object.
  A preset has name, aliases, description, source, rules (every key and its
  value), words (what each means), stated (the keys that the source states),
  changed (the keys that were set here) and sizes (of the hands, by number of
  players).

\b
Examples:
  ohhell rules
  ohhell rules nomination-whist
  ohhell rules classic --set max=7 --set hook=3
"""


@click.command(short_help=COMMANDS["rules"], epilog=EPILOG)
@click.argument("preset", required=False)
@overrides_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, version 1.")
def command(preset: str | None, overrides: tuple[str, ...], *, as_json: bool) -> None:
    """Show how the game is played and by which presets; or, with PRESET, every one of its rules in words."""
    if preset is None and not overrides:
        _show_all(as_json)
        return
    chosen = find_preset(preset or "classic")
    rules = read_rules(chosen.name, overrides)
    changed = tuple(override.partition("=")[0] for override in overrides)
    if as_json:
        click.echo(json.dumps({"version": JSON_VERSION, "preset": _to_mapping(chosen, rules, changed)}, indent=1))
        return
    out = console.out()
    for line in rules_lines(rules, chosen, changed):
        out.print(line)


def _show_all(as_json: bool) -> None:
    if as_json:
        presets = [_to_mapping(preset, preset.rules, ()) for preset in PRESETS.values()]
        click.echo(json.dumps({"version": JSON_VERSION, "presets": presets}, indent=1))
        return
    out = console.out()
    out.print(Text("Oh Hell, also Oh Pshaw, Oh Well, Blob or Blackout", style="bold"))
    out.print(Text(GAME))
    out.print(Text("Presets", style="bold"))
    for line in preset_lines():
        out.print(line)
    out.print(Text("\nWhat may be changed, in a tournament file or with --set KEY=VALUE", style="bold"))
    out.print(Text(KEYS))
    out.print(Text("Every value of a preset in words: ohhell rules PRESET"))


def _to_mapping(preset: Preset, rules: Rules, changed: tuple[str, ...]) -> dict[str, Any]:
    values = rules.to_mapping()
    return {
        "name": preset.name,
        "aliases": list(preset.aliases),
        "description": preset.description,
        "source": preset.source,
        "rules": values,
        "words": {key: in_words(key, value) for key, value in values.items()},
        "stated": [key for key in values if key in preset.stated],
        "changed": list(changed),
        "sizes": {str(players): list(sizes) for players, sizes in playable(rules).items()},
    }
