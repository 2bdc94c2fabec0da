"""The shipped schema, ready to validate with."""

import json
from functools import cache

from jsonschema import Draft202012Validator

from runner.protocol.schema import SCHEMA_PATH


@cache
def validator(definition=None):
    """Return what validates any line, or one of the definition (a message's name, `ToBot`, `FromBot`)."""
    schema = json.loads(SCHEMA_PATH.read_text(encoding="ascii"))
    Draft202012Validator.check_schema(schema)
    if definition is not None:
        del schema["anyOf"]
        schema["$ref"] = f"#/$defs/{definition}"
    return Draft202012Validator(schema)
