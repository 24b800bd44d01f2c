"""Generates the JSON Schemas in this folder from the types: `python -m grader.schema.write`."""

import json
from typing import Any

import msgspec

from grader import paths
from grader.execute import profile, steps
from grader.findings.record import MemoryObject, Record
from grader.model import (
    class_grades,
    grade_record,
    prediction,
    question,
    result,
)
from grader.model.counters import ATOMIC, OF_LAUNCH, SURFACE, TEXTURE
from grader.model.lab import Lab


def keys(kind: type[msgspec.Struct], *without: str) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name not in without)


DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = paths.ROOT / "grader" / "schema"
TYPES: dict[str, type[msgspec.Struct]] = {
    "convlabs-call/v1": grade_record.Call,
    "convlabs-class/v1": class_grades.ClassGrades,
    "convlabs-finding/v1": Record,
    "convlabs-grade/v1": result.Result,
    "convlabs-lab/v1": Lab,
    "convlabs-log/v1": grade_record.Entry,
    "convlabs-prediction/v1": prediction.PredictedProgram,
    "convlabs-profile/v1": profile.Profile,
    "convlabs-quiz/v1": question.QuizKeys,
    "convlabs-step/v1": steps.Recording,
}
# What a profile's findings have had from the beginning.
OF_FINDINGS = (
    *("kind", "message", "severity", "kernel", "file", "line", "block", "thread", "pc"),
    *("other_file", "other_line", "other_pc", "step"),
)
# Keys that older documents of the same version lack, by schema and type. Of a finding's record, all
# that is zero or empty.
ADDED_LATER = {
    ("convlabs-grade/v1", "Prediction"): ("advice",),
    ("convlabs-grade/v1", "Result"): ("sandbox", "elsewhere", "predictions"),
    ("convlabs-log/v1", "Entry"): ("by",),
    ("convlabs-profile/v1", "Counters"): (
        *("constant_bytes", "loaded_places", "shared_load_words", "shared_atomic_lanes"),
        *(*TEXTURE, *SURFACE, *ATOMIC, *OF_LAUNCH, "unknown_lanes"),
    ),
    ("convlabs-finding/v1", "Record"): keys(Record, "kind"),
    ("convlabs-finding/v1", "MemoryObject"): keys(MemoryObject),
    ("convlabs-profile/v1", "MemoryObject"): keys(MemoryObject),
    ("convlabs-profile/v1", "ToldFinding"): keys(profile.ToldFinding, *OF_FINDINGS),
    ("convlabs-profile/v1", "Kernel"): (
        *("covers", "idle_threads", "first_idle", "result_bytes", "result_remains"),
    ),
}


LOADED = {  # what load() adds to a lab.toml, by type; it is not written there
    "Lab": ("folder", "hidden_included", "variant"),
    "Case": ("seed", "hidden"),
    "Contract": ("seed", "secret_seed"),
    "Safe": ("seed",),
    "Technique": ("seed", "public", "smaller_mask"),
    "Speed": ("seed",),
}


def _as_written(document: dict[str, Any]) -> dict[str, Any]:
    """The schema of a file that people write: what has a default may be left out."""
    for type_, keys_ in LOADED.items():
        for key in keys_:
            document["$defs"][type_]["properties"].pop(key, None)
    return {**document, "$schema": DIALECT}


def schema(name: str) -> dict[str, Any]:
    """The schema of that name. A document has no other keys, and all that were in its version from
    the beginning."""
    document = msgspec.json.schema(TYPES[name])
    if TYPES[name] is Lab:
        return _as_written(document)
    for type_, definition in document["$defs"].items():
        if definition["type"] == "array":  # its items are identified by their index
            continue
        later = ADDED_LATER.get((name, type_), ())
        definition["required"] = [key for key in definition["properties"] if key not in later]
        definition["additionalProperties"] = False
    document["$schema"] = DIALECT
    document["title"] = name
    return document


def file_of(name: str) -> str:
    return name.replace("/", "-") + ".json"


def main() -> None:
    for name in TYPES:
        (FOLDER / file_of(name)).write_text(json.dumps(schema(name), indent=2) + "\n")


if __name__ == "__main__":
    main()
