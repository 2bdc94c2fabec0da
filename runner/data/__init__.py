"""Finds the bots and tournaments that ship with the runner, in a checkout or inside an installed wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent


def _shipped(name: str) -> Path:
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _CHECKOUT / name


def bots_dir() -> Path:
    """Return the directory with one sub-directory a house bot."""
    return _shipped("bots")


def tournaments_dir() -> Path:
    """Return the directory of the tournament files that ship."""
    return _shipped("tournaments")


def house_bots() -> tuple[str, ...]:
    """Return the names of the house bots, sorted."""
    return tuple(sorted(entry.parent.name for entry in bots_dir().glob("*/bot.yaml")))
