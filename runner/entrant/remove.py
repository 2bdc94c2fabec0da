"""Removes what bots have left behind, whatever they have made of it."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def remove_tree(directory: Path | str) -> None:
    """Remove `directory` with all in it: directories that may not be written to, and nested however deep.

    Links are removed, not followed. Raises OSError at the first thing that cannot be removed.
    """
    if os.path.islink(directory):  # noqa: PTH114 — a bot's own doing, where its directory was
        os.unlink(directory)  # noqa: PTH108 — as all below: a path here may be in no form that Path keeps
        return
    # Every directory is moved to the top before it is emptied: no path gets too long, and nothing recurses.
    token = secrets.token_hex(8)
    found = [os.fspath(directory)]
    os.chmod(directory, 0o700)  # noqa: PTH101
    for number, each in enumerate(found):
        with os.scandir(each) as listing:
            entries = list(listing)
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)  # noqa: PTH108
                continue
            os.chmod(entry.path, 0o700)  # noqa: PTH101
            moved = entry.path if number == 0 else os.path.join(directory, f"{token}-{len(found)}")  # noqa: PTH118
            os.rename(entry.path, moved)  # noqa: PTH104
            found.append(moved)
    for each in reversed(found):
        os.rmdir(each)  # noqa: PTH106


def discard_tree(directory: Path | str) -> None:
    """Remove `directory` as far as it is there and can be removed."""
    with suppress(OSError):
        remove_tree(directory)
