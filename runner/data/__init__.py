"""Finds the bots that ship with the runner, in a checkout or inside an installed wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent


def bots_dir() -> Path:
    """Return the directory with one sub-directory a house bot."""
    installed = _PACKAGE / "bots"
    return installed if installed.is_dir() else _CHECKOUT / "bots"


def house_bots() -> tuple[str, ...]:
    """Return the names of the house bots, sorted."""
    return tuple(sorted(entry.parent.name for entry in bots_dir().glob("*/bot.yaml")))
