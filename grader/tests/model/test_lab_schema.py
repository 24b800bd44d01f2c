"""The JSON Schema of a lab.toml, for the editor of who writes one."""

import tomllib
from typing import Any

import jsonschema
import pytest

from grader import paths
from grader.schema import write

SCHEMA = write.schema("convlabs-lab/v1")
LABS = sorted(paths.LABS.glob("lab*_*/lab.toml"))


def table(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


@pytest.mark.parametrize("file", LABS, ids=[file.parent.name for file in LABS])
def test_every_lab_fits_the_schema(file: Any) -> None:
    jsonschema.validate(table(file.read_text()), SCHEMA)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed = ", "sead = "),
        ("[points]", "[pointz]"),
        ('shape = ["y", "x"]', "shape = []"),
        ("correct = 60", "correct = 600"),
        ('id = "A"', 'id = "A"\nfolder = "x"'),
    ],
)
def test_the_schema_refuses_what_the_grader_refuses(old: str, new: str) -> None:
    text = (paths.LABS / "lab2_global_memory" / "lab.toml").read_text()
    assert old in text
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(table(text.replace(old, new, 1)), SCHEMA)
