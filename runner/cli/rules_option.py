"""The options `--rules` and `--set`, by which a command is told what rules to play by."""

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from runner.game.presets import resolve_rules
from runner.game.rules import Rules
from runner.source.reader import parse
from runner.source.tree import plain_data
from runner.text import quoted

F = TypeVar("F", bound=Callable[..., Any])


def rules_options(command: F) -> F:
    """Add `--rules` and `--set`, which come as `preset` and `overrides`."""
    command = overrides_option(command)
    return click.option(
        "--rules", "preset", default="classic", metavar="PRESET", help="A preset; see ohhell rules.  [default: classic]"
    )(command)


def overrides_option(command: F) -> F:
    """Add `--set`, which comes as `overrides`."""
    return click.option(
        "--set",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        help="Change one rule, such as max=7, hook=false or trumps=[S,H]; may be given again.",
    )(command)


def read_rules(preset: str, overrides: Sequence[str]) -> Rules:
    """Return the preset with the overrides, each `KEY=VALUE` with a value as in a tournament file.

    Raises `RulesError` for rules that are wrong, `click.BadParameter` for what is no override at all.
    """
    mapping: dict[str, object] = {"preset": preset}
    for override in overrides:
        key, sign, text = override.partition("=")
        if not sign or not key:
            raise _wrong(f"{quoted(override)} is not KEY=VALUE, such as max=7.")
        if key in mapping:
            raise _wrong(f"{quoted(key)} is given twice.")
        node, problems = parse(os.fsencode(text))
        if problems:
            raise _wrong(f"the value of {quoted(override)} cannot be read. {problems[0].sentence}")
        mapping[key] = None if node is None else plain_data(node)
    return resolve_rules(mapping)


def _wrong(sentence: str) -> click.BadParameter:
    return click.BadParameter(sentence, param_hint="--set")
