"""A grade is kept under a key of all that decides it."""

import pytest

from grader.bulk import cache_key
from grader.bulk.cache_key import Options
from grader.model import course_key, spec
from grader.sandbox import bubblewrap

LAB = spec.load("lab3")


def test_everything_that_decides_a_grade_changes_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"constant_mask.cu": b"int x;\n"}
    options = Options(timed=False)
    keys = {
        cache_key.key(LAB, "sim", options, files),
        cache_key.key(spec.load("lab4"), "sim", options, files),
        cache_key.key(LAB, "gpu", options, files),
        cache_key.key(LAB, "sim", Options(timed=True), files),
        cache_key.key(LAB, "sim", Options(timed=False, seconds=2), files),
        cache_key.key(LAB, "sim", Options(timed=False, pages=False), files),
        cache_key.key(LAB, "sim", options, {"constant_mask.cu": b"int y;\n"}),
        cache_key.key(LAB, "sim", options, {"other.cu": b"int x;\n"}),
        cache_key.key(LAB, "sim", options, {}),
    }
    assert len(keys) == 9
    assert cache_key.key(LAB, "sim", Options("sim", timed=False), files) in keys
    for module, name, value in (
        (course_key, "digest", b"another course"),
        (bubblewrap, "tier", "another sandbox"),
        (cache_key, "machine", ("another machine",)),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, lambda *_, value=value: value)
            assert cache_key.key(LAB, "sim", options, files) not in keys
