"""Specs of labs, hidden cases and the lists of a release: lab.toml, labN.toml, student.toml.

The first byte chooses what the rest is.
"""

from collections.abc import Iterator
from unittest import mock

from grader import paths
from grader.model import outline, spec
from grader.release import contents
from grader.tests.fuzz import scratch

HOME = scratch.folder()
FOLDER = HOME / "lab1_x"
SMALL = b"""id = "lab1"
title = "t"
summary = "s"
submit = ["a.c"]
backends = ["cpu"]
seed = 1
points = { correct = 60, safe = 10, technique = 10, speed = 20 }
part = [{ id = "A", title = "t", hints = ["h"] }]
case = [{ name = "c", part = "A", image = "noise", mask = "box", size = [3, 4], points = 60 }]
safe = [{ name = "s", part = "A", image = "noise", points = 10 }]
[[technique]]
name = "t"
part = "A"
image = "noise"
size = [9, 9]
points = 10
counter = "avx_instructions"
at_least = 1.5
[[speed]]
name = "f"
part = "A"
image = "noise"
points = 20
hint = "h"
baseline_is = [1.0, 2.0]
"""
HIDDEN = b"""seed = 5
case = [{ name = "h", part = "A", image = "noise", points = 0, rationale = "r", hint = "h" }]
"""
LISTS = b"""inside = ["README.md", "{labs,a}/**"]
published = ["x;"]
objects = false
"""


def seeds() -> Iterator[bytes]:
    yield b"\0" + SMALL
    yield b"\0" + SMALL.replace(b'["a.c"]', b"[]")
    yield b"\0" + SMALL.replace(b"avx_instructions", b"dram_bytes / global_load_lanes")
    yield b"\0" + SMALL.replace(b"1.5", b"nan").replace(b"[1.0, 2.0]", b"[inf, -inf]")
    yield b"\0" + SMALL.replace(b"seed = 1", b"seed = " + b"9" * 4400)
    yield b"\0" + SMALL.replace(b"safe = 10", b"safe = 11")
    yield b"\1" + HIDDEN
    yield b"\2" + LISTS
    for kind in range(3):
        yield bytes([kind]) + b"a = " + b"[" * 3000
        yield bytes([kind]) + b'title = "\xff"'


def check_lab(text: bytes, hidden: bytes = HIDDEN) -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "lab.toml").write_bytes(text)
    (FOLDER / "hidden.toml").write_bytes(hidden)
    labs = {"lab1": FOLDER / "lab.toml"}
    with (
        mock.patch.object(spec, "available", lambda: labs),
        mock.patch.object(paths, "SOLUTIONS", FOLDER.parent),
    ):
        try:
            lab = spec.load("lab1")
        except outline.SpecError as problem:
            assert str(HOME.relative_to(paths.ROOT)) in str(problem)
            return
    assert lab.points.total() == 100 and lab.hidden_included
    names = [check.name for check in lab.checks()]
    assert len(set(names)) == len(names)
    for check in lab.checks():
        assert lab.part_of(check).id == check.part and 0 <= check.seed < 1 << 63
        assert lab.file_of(check) in lab.submit
        assert check in lab.shown_checks() or getattr(check, "hidden", False)


def check_outline(text: bytes) -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "lab.toml").write_bytes(text)
    labs = {"lab1": FOLDER / "lab.toml"}
    with mock.patch.object(outline, "available", lambda: labs):
        try:
            outline.load("lab1")
        except outline.SpecError as problem:
            assert str(problem)


def check_lists(text: bytes) -> None:
    file = HOME / "student.toml"
    file.write_bytes(text)
    with mock.patch.object(contents, "LISTS", file):
        try:
            lists = contents.lists()
        except contents.ReleaseError as problem:
            assert str(problem)
            return
    for path in ("README.md", "labs/a/b.c"):
        assert contents.matches(path, [*lists.inside, path.replace("README", "{a,README}")])


def check(data: bytes) -> None:
    kind = data[0] % 3 if data else 0
    if kind == 0:
        check_lab(data[1:])
        check_outline(data[1:])
    elif kind == 1:
        check_lab(SMALL, data[1:])
    else:
        check_lists(data[1:])
