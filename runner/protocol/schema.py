"""The JSON Schema of the protocol, generated from the message types so that the two cannot drift apart."""

import json
from typing import Any

import msgspec

from runner.protocol.messages import FROM_BOT, PROTOCOL_VERSION, TO_BOT

_DEFINITIONS = "#/$defs/{name}"


def protocol_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12): any line of the protocol, with a definition a message under `$defs`."""
    _, definitions = msgspec.json.schema_components((*TO_BOT, *FROM_BOT), ref_template=_DEFINITIONS)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Oh Hell protocol, version {PROTOCOL_VERSION}",
        "oneOf": [
            {"title": "to the bot", "oneOf": [_reference(message) for message in TO_BOT]},
            {"title": "from the bot", "oneOf": [_reference(message) for message in FROM_BOT]},
        ],
        "$defs": definitions,
    }


def schema_text() -> str:
    """Return the schema as the text of the shipped `protocol.schema.json`."""
    return json.dumps(protocol_schema(), indent=2, sort_keys=True) + "\n"


def _reference(message: type) -> dict[str, str]:
    return {"$ref": _DEFINITIONS.format(name=message.__name__)}
