"""Generates the JSON Schemas in this folder from the types: `python -m grader.schema.write`."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from grader import paths
from grader.execute import profile
from grader.model import result

FOLDER = paths.ROOT / "grader" / "schema"
TYPES: dict[str, type[msgspec.Struct]] = {
    "convlabs-grade/v1": result.Result,
    "convlabs-profile/v1": profile.Profile,
}


def schema(name: str) -> dict[str, Any]:
    """The schema of that name. A document has every key, and no other."""
    document = msgspec.json.schema(TYPES[name])
    for definition in document["$defs"].values():
        definition["required"] = list(definition["properties"])
        definition["additionalProperties"] = False
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    document["title"] = name
    return document


def file_of(name: str) -> str:
    return name.replace("/", "-") + ".json"


def main() -> None:
    for name in TYPES:
        (FOLDER / file_of(name)).write_text(json.dumps(schema(name), indent=2) + "\n")


if __name__ == "__main__":
    main()
