"""The options `--rules` and `--set`, by which a command is told what rules to play by."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
import yaml

from runner.game.presets import resolve_rules
from runner.game.rules import Rules

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
            raise click.BadParameter(f"{override!r} is not KEY=VALUE, such as max=7.", param_hint="--set")
        if key in mapping:
            raise click.BadParameter(f"{key} is given twice.", param_hint="--set")
        try:
            mapping[key] = yaml.safe_load(text)
        except yaml.YAMLError:
            raise click.BadParameter(f"the value of {override!r} cannot be read.", param_hint="--set") from None
    return resolve_rules(mapping)
