"""Which matches have a result, and who faulted in them: what the order of a plan depends on."""

from runner.store.store import Store
from runner.table.results import MatchResult


class Known:
    """The keys that have a result, and who faulted in them. Costs about 100 bytes a match."""

    def __init__(self, store: Store) -> None:
        self._keys = set(store.keys())
        self._faulted = store.faulted()

    def add(self, result: MatchResult) -> None:
        """Take note of a result that has just been stored."""
        self._keys.add(result.key)
        if result.faults:
            self._faulted[result.key] = frozenset(fault.entrant for fault in result.faults)

    def __contains__(self, key: bytes) -> bool:
        return key in self._keys

    def faulted(self, key: bytes) -> frozenset[str] | None:
        """Return who faulted in the match, None if it has not been played."""
        return self._faulted.get(key, frozenset()) if key in self._keys else None
