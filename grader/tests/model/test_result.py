"""The canonical result and its published schema."""

import json

import jsonschema
import msgspec
import pytest

from grader.model import result
from grader.model.result import Check, GradedFile, Result, Sandbox
from grader.model.score import Score, Unmeasured
from grader.schema import write
from grader.tests.made_results import made

GRADE = write.schema("convlabs-grade/v1")


def example() -> Result:
    return made(
        "lab3",
        [Check("lab3/A/x", "x", "correct", "fail", 0, 5, "A", message=["why"])],
        Score(0, 5, 100, (Unmeasured(15, "need a GPU"),)),
        files=[GradedFile("starter/lab3_constant_mask/constant_mask.cu", "0" * 64)],
        hidden_included=False,
    )


@pytest.mark.parametrize("name", write.TYPES)
def test_published_schema_is_current(name: str) -> None:
    published = json.loads((write.FOLDER / write.file_of(name)).read_text())
    current = json.loads(json.dumps(write.schema(name)))
    assert published == current, "run: python -m grader.schema.write"


def test_result_validates_and_a_broken_one_does_not() -> None:
    document = json.loads(result.to_json(example()))
    jsonschema.validate(document, GRADE)
    for broken in ({"verdict": "maybe"}, {"points": "5"}, {"extra": 1}):
        wrong = json.loads(result.to_json(example()))
        wrong["checks"][0] |= broken
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, GRADE)


def test_a_result_of_an_older_grader_is_still_one() -> None:
    document = json.loads(result.to_json(example()))
    del document["sandbox"]
    jsonschema.validate(document, GRADE)
    assert msgspec.convert(document, Result) == example()


def test_a_sandbox_is_one_of_the_three_or_none() -> None:
    for tier in (1, 2, 3, None):
        graded = msgspec.structs.replace(example(), sandbox=Sandbox(tier, "x"))
        jsonschema.validate(json.loads(result.to_json(graded)), GRADE)
    document = json.loads(result.to_json(graded))
    for broken in ({"tier": 4}, {"tier": "1"}, {"probes": "all"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document | {"sandbox": document["sandbox"] | broken}, GRADE)
