"""The keys of a tournament file: types, ranges and defaults. The schema that files are checked by is made of this.

`rules` and `entrants` have forms that a schema says badly; they are taken as they are and read by modules of their own.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from runner.entrant.manifest import Restart
from runner.ratings.standings import RankBy

DAY_MS = 86_400_000
DEFAULT_TABLE = 4


def _available(*values: Any) -> Meta:
    """Return the mark of a key that has a meaning, of which this version offers only some values."""
    return Meta(extra_json_schema={"available": list(values)})


class ClockKeys(Struct, frozen=True, forbid_unknown_fields=True):
    """`clocks`: the time that bots have, in milliseconds. `move_wall_ms` None means 5 x move_ms + 500."""

    start_ms: Annotated[int, Meta(ge=1, le=600_000)] = 5000
    move_ms: Annotated[int, Meta(ge=1, le=600_000)] = 1000
    move_wall_ms: Annotated[int, Meta(ge=1, le=DAY_MS)] | None = None
    bank_ms: Annotated[int, Meta(ge=1, le=DAY_MS)] | None = None
    freeze: Annotated[bool, _available(False)] = False


class Disqualify(Struct, frozen=True, forbid_unknown_fields=True):
    """Beyond both an entrant is disqualified: matches with a fault, and their share of its scheduled matches."""

    matches: Annotated[int, Meta(ge=0, le=1_000_000)] = 3
    share: Annotated[float, Meta(ge=0, le=1)] = 0.1


class FaultPolicy(Struct, frozen=True, forbid_unknown_fields=True):
    """What becomes of an entrant that cannot be started (`broken`) and of one that keeps on making faults."""

    broken: Literal["refuse", "exclude"] = "refuse"
    disqualify: Disqualify = Disqualify()


class EntrantKeys(Struct, frozen=True, forbid_unknown_fields=True):
    """One entrant written as a mapping. In a mapping of entrants the key is the `id`."""

    path: str
    id: str | None = None
    copies: Annotated[int, Meta(ge=1, le=100)] | None = None
    team: Annotated[Any, _available(None)] = None
    limits: Annotated[Any, _available(None)] = None


class FileKeys(Struct, frozen=True, forbid_unknown_fields=True):
    """A tournament file."""

    entrants: Any
    name: str | None = None
    seed: str | None = None
    rules: Any = "classic"
    table: Annotated[int, Meta(ge=3, le=7)] = DEFAULT_TABLE
    format: Annotated[Literal["round_robin", "gauntlet"], _available("round_robin")] = "round_robin"
    challengers: Annotated[Any, _available(None, [])] = None
    replicates: Annotated[int, Meta(ge=1, le=100_000)] = 1
    matches: Annotated[int, Meta(ge=1, le=1_000_000)] = 40
    full_up_to: Annotated[int, Meta(ge=0, le=1_000_000)] = 150
    apart: Annotated[Any, _available(None)] = None
    budget: Annotated[Any, _available(None)] = None
    clocks: ClockKeys = ClockKeys()
    restart: Restart = "never"
    limits: Annotated[Any, _available(None)] = None
    faults: FaultPolicy = FaultPolicy()
    isolation: Annotated[str, _available("auto", "limits")] = "auto"
    workers: Annotated[int, Meta(ge=1, le=1024)] | None = None
    executor: Annotated[Literal["local", "dask"], _available("local")] = "local"
    opponents: Literal["hidden", "shown"] = "hidden"
    rank_by: RankBy = "adjusted"
    rulings: Annotated[Any, _available(None, [])] = None
