"""Checks a YAML tree against a typed struct: every error at once, each at its line and column, in a person's words."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import msgspec
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from runner.errors import did_you_mean
from runner.source.problems import Problem
from runner.source.tree import Fields, Node, Scalar, plain_data, shown
from runner.text import listed, quoted

S = TypeVar("S", bound=msgspec.Struct)
Schema = Mapping[str, Any]

# What people who know YAML 1.1 write; here these are words.
_SWITCHES = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}


def check(root: Fields, struct: type[S], prefix: str = "") -> tuple[S | None, list[Problem]]:
    """Return `root` as a `struct`, or None and all that is wrong; `prefix` stands before the names of keys."""
    schema = _schema(struct)
    data = _data(root, schema, schema)
    problems = [_problem(error, root, schema, prefix) for error in _Validator(schema).iter_errors(data)]
    problems += _unknown_keys(root, schema, schema, prefix)
    return (None if problems else msgspec.convert(data, struct)), problems


@cache
def _schema(struct: type[msgspec.Struct]) -> Schema:
    return msgspec.json.schema(struct)


def _available(validator: Any, offered: Sequence[Any], value: Any, schema: Schema) -> Iterator[ValidationError]:
    """Check the keyword `available`: what is meaningful by the rest of the schema, but not offered."""
    meaning = {keyword: what for keyword, what in schema.items() if keyword != "available"}
    if value not in offered and validator.evolve(schema=meaning).is_valid(value):
        yield ValidationError("not available")


def _no_check(*_: Any) -> Iterator[ValidationError]:
    """Leave unknown keys to `_unknown_keys`, which knows where they stand."""
    yield from ()


_Validator: Any = extend(  # type: ignore[no-untyped-call]  # jsonschema leaves it out
    Draft202012Validator,
    {"available": _available, "additionalProperties": _no_check},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int),
)


def _resolved(schema: Schema, whole: Schema) -> Schema:
    """Return the schema behind a reference, and of "this or null" this one."""
    if "$ref" in schema:
        return _resolved(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in schema:
        return next(_resolved(each, whole) for each in schema["anyOf"] if each != {"type": "null"})
    return schema


def _data(node: Node, schema: Schema, whole: Schema) -> Any:
    """Return plain data in which text is as written where the schema wants text: `name: 1.10` is "1.10"."""
    schema = _resolved(schema, whole)
    if isinstance(node, Fields):
        known = schema.get("properties", {})
        return {key.text: _data(value, known.get(key.text, {}), whole) for key, value in node.pairs}
    if isinstance(node, Scalar) and node.value is not None and (schema.get("type") == "string" or "enum" in schema):
        return node.text
    return plain_data(node)


def _unknown_keys(node: Fields, schema: Schema, whole: Schema, prefix: str) -> Iterator[Problem]:
    known = _resolved(schema, whole)["properties"]
    for key, value in node.pairs:
        if key.text not in known:
            hint = did_you_mean(key.text, known) or f" The keys here are {listed(known, 'and')}."
            yield Problem(key.place, f"There is no key {quoted(prefix + key.text)}.{hint}")
        elif isinstance(value, Fields) and "properties" in _resolved(known[key.text], whole):
            yield from _unknown_keys(value, known[key.text], whole, f"{prefix}{key.text}.")


def _problem(error: ValidationError, root: Fields, whole: Schema, prefix: str) -> Problem:
    node: Node = root
    schema = _resolved(whole, whole)
    for key in map(str, error.absolute_path):
        # Only mappings are gone into: no key of a struct is a list of typed items.
        node = next(value for name, value in node.pairs if name.text == key) if isinstance(node, Fields) else node
        schema = _resolved(schema["properties"][key], whole)
    name = prefix + ".".join(map(str, error.absolute_path))
    detail: Any = error.validator_value
    if error.validator == "required":
        present: Any = error.instance
        missing = next(key for key in detail if key not in present)
        return Problem(node.place, f"The key `{name}{missing}` is missing here.")
    if error.validator == "available":
        return Problem(node.place, _unavailable(node, name, detail))
    return Problem(node.place, _must_be(node, name, schema))


def _unavailable(node: Node, name: str, offered: Sequence[Any]) -> str:
    words = [each for each in offered if isinstance(each, str)]
    if words and isinstance(node, Scalar):
        return f"{quoted(f'{name}: {node.text}')} is not available in this version: write {listed(words)}."
    return f"`{name}` is not available in this version: leave it out."


def _must_be(node: Node, name: str, schema: Schema) -> str:
    if isinstance(node, Scalar) and node.value is None:
        return f"`{name}` has no value: write {_wanted(schema)}, or leave the key out."
    return f"`{name}` must be {_wanted(schema)}, not {shown(node)}.{_hint(node, schema)}"


def _wanted(schema: Schema) -> str:
    if "enum" in schema:
        return listed(map(str, schema["enum"]))
    match schema["type"]:
        case "integer":
            return f"a whole number from {schema['minimum']:,} to {schema['maximum']:,}"
        case "number":
            return f"a number from {schema['minimum']} to {schema['maximum']}"
        case "boolean":
            return "true or false"
        case "object":
            return f"a mapping with the keys {listed(schema['properties'], 'and')}"
        case _:
            return "text"


def _hint(node: Node, schema: Schema) -> str:
    """Return what the writer probably meant, for the traps of YAML and for slips of the pen."""
    if not isinstance(node, Scalar):
        return ""
    if "enum" in schema:
        return did_you_mean(node.text, schema["enum"])
    if schema["type"] == "boolean":
        return switch_hint(node)
    if schema["type"] in ("integer", "number") and isinstance(node.value, str):
        return _number_hint(node)
    return ""


def switch_hint(node: Node) -> str:
    """Return the hint for `yes`, `on` and the like where true or false is wanted."""
    meant = _SWITCHES.get(node.text.lower()) if isinstance(node, Scalar) else None
    return f" Write {meant}." if meant else ""


def _number_hint(node: Scalar) -> str:
    if not node.plain:
        return " Write it without quotes." if node.text.isdecimal() else ""
    if node.text.isdecimal() and node.text.startswith("0"):
        return f" Write {node.text.lstrip('0') or '0'}, without a zero in front."
    return " Write it in plain digits." if any(map(str.isdecimal, node.text)) else ""
