"""What the parent process grows by as a run gets longer."""

import subprocess
import sys
from pathlib import Path

FEW, MANY = 100, 10_000

_CHILD = """
import resource, sys
from runner.cli import main
try:
    main(sys.argv[1:])
finally:
    print("peak KiB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def parent_growth_mb(place: Path) -> float:
    """Return how many MB more the parent of a run of 10,000 matches takes at its peak than that of one of 100."""
    return (_peak_kib(place, MANY) - _peak_kib(place, FEW)) / 1024


def _peak_kib(place: Path, matches: int) -> int:
    """Return the peak resident size of the parent over a run; the games are short, their number is what matters."""
    file = place / f"memory-{matches}.yaml"
    bots = place / "first_legal"
    file.write_text(
        f"seed: 1\ntable: 3\nrules: {{preset: classic, sizes: [1]}}\nreplicates: {matches}\n"
        f"entrants: [{{path: {bots}, copies: 3}}]\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", _CHILD, "run", str(file), "--out", str(place / f"memory-{matches}")],
        check=True,
        capture_output=True,
        text=True,
    )
    return int(ended.stderr.rsplit(maxsplit=1)[-1])
