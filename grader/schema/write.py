"""The JSON Schemas that grader/schema/ publishes, made from the types.

python -m grader.schema.write writes them anew.
"""

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
    """The schema of that name: every key is always there, and no other."""
    made = msgspec.json.schema(TYPES[name])
    for definition in made["$defs"].values():
        definition["required"] = list(definition["properties"])
        definition["additionalProperties"] = False
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    made["title"] = name
    return made


def file_of(name: str) -> str:
    return name.replace("/", "-") + ".json"


def main() -> None:
    for name in TYPES:
        (FOLDER / file_of(name)).write_text(json.dumps(schema(name), indent=2) + "\n")


if __name__ == "__main__":
    main()
