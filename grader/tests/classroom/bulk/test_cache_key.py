"""A grade is kept under a key of all that decides it."""

import pytest

from grader.classroom.bulk import cache_key
from grader.classroom.bulk.cache_key import Options
from grader.execute.backend import Backend
from grader.model import course_key, spec
from grader.model.lab import Lab
from grader.sandbox import choice

LAB = spec.load("lab3")


def key(lab: Lab, backend: Backend, options: Options, files: dict[str, bytes]) -> str:
    return cache_key.key(lab, cache_key.made_by(lab, backend, options), files)


def test_everything_that_decides_a_grade_changes_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"constant_mask.cu": b"int x;\n"}
    options = Options(timed=False)
    keys = {
        key(LAB, "sim", options, files),
        key(spec.load("lab4"), "sim", options, files),
        key(LAB, "gpu", options, files),
        key(LAB, "sim", Options(timed=True), files),
        key(LAB, "sim", Options(timed=False, seconds=2), files),
        key(LAB, "sim", Options(timed=False, seeds={"lab3": 4}), files),
        key(LAB, "sim", Options(timed=False, prediction="off"), files),
        key(LAB, "sim", options, {"constant_mask.cu": b"int y;\n"}),
        key(LAB, "sim", options, {"other.cu": b"int x;\n"}),
        key(LAB, "sim", options, {}),
    }
    assert len(keys) == 10
    assert key(LAB, "sim", Options(timed=False, pages=False), files) in keys
    assert key(LAB, "sim", Options("sim", timed=False), files) in keys
    assert key(LAB, "sim", Options(timed=False, seeds={"lab4": 4}), files) in keys
    for module, name, value in (
        (course_key, "parts", {"the spec": "another"}),
        (choice, "name", "another sandbox"),
        (cache_key, "machine", ("another machine",)),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, lambda *_, value=value: value)
            assert key(LAB, "sim", options, files) not in keys
