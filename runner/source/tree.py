"""A YAML document as a tree of nodes that know where they stand."""

from dataclasses import dataclass
from typing import Any

from runner.source.problems import Place
from runner.text import quoted


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value. `text` is what the file says (without quotes), `value` what that means; quoted text is a string."""

    place: Place
    value: str | int | float | bool | None
    text: str
    plain: bool


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    place: Place
    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping, in the order of the file; keys are scalars, no two with equal text."""

    place: Place
    pairs: "tuple[tuple[Scalar, Node], ...]"

    def get(self, key: str) -> "Node | None":
        """Return the value of `key`, or None if the mapping has no such key."""
        return next((value for name, value in self.pairs if name.text == key), None)


Node = Scalar | Items | Fields


def plain_data(node: Node) -> Any:
    """Return the tree as plain lists, dicts with text for keys, and values."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Items):
        return [plain_data(item) for item in node.items]
    return {key.text: plain_data(value) for key, value in node.pairs}


def shown(node: Node) -> str:
    """Return how a sentence calls the value that stands in place of another."""
    if isinstance(node, Scalar):
        return "nothing" if node.value is None else quoted(node.text if node.plain else f'"{node.text}"')
    return "a list" if isinstance(node, Items) else "a mapping"
