"""The JSON Schema of the protocol, generated from the message types so that the two cannot drift apart.

After a change of the messages write the shipped file anew, which a test compares with what is generated:
`python -c "from runner.protocol.schema import write_schema; write_schema()"`
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from runner.protocol.messages import FROM_BOT, PROTOCOL_VERSION, TO_BOT

SCHEMA_PATH = Path(__file__).with_name("protocol.schema.json")

_DEFINITIONS = "#/$defs/{name}"


def protocol_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of any line of the protocol.

    Under `$defs` there is a definition for each message, and `ToBot` and `FromBot` for a line of one direction.
    """
    _, definitions = msgspec.json.schema_components((*TO_BOT, *FROM_BOT), ref_template=_DEFINITIONS)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Oh Hell protocol, version {PROTOCOL_VERSION}",
        "anyOf": [_reference("ToBot"), _reference("FromBot")],
        "$defs": {
            **definitions,
            "ToBot": {"description": "A line of the runner's.", "anyOf": _references(TO_BOT)},
            "FromBot": {"description": "A line of a bot's.", "anyOf": _references(FROM_BOT)},
        },
    }


def schema_text() -> str:
    """Return the schema as the text of the shipped `protocol.schema.json`."""
    return json.dumps(protocol_schema(), indent=2) + "\n"


def write_schema() -> None:
    """Write the shipped file; for whoever changes the messages."""
    SCHEMA_PATH.write_text(schema_text(), encoding="ascii")


def _references(messages: tuple[type, ...]) -> list[dict[str, str]]:
    return [_reference(message.__name__) for message in messages]


def _reference(name: str) -> dict[str, str]:
    return {"$ref": _DEFINITIONS.format(name=name)}
