"""`variants` in course.toml: a file counts in its student's variant alone."""

from pathlib import Path

import pytest

from grader.classroom.bulk.intake.entry import Entry
from grader.classroom.bulk.variants import Variants
from grader.classroom.course.person import Person
from grader.classroom.course.settings import Course
from grader.model import outline, spec, variant
from grader.tests.classroom import variants

LAB3 = spec.load("lab3")
ANN, BEN = {"PHASES": 5, "MASK_MAX_RADIUS": 10}, {"PHASES": 6, "MASK_MAX_RADIUS": 10}
VARYING = ["lab3", "lab4"]


def test_the_labs_that_vary() -> None:
    assert [name for name in outline.available() if spec.load(name).varies] == VARYING
    for lab in map(spec.load, VARYING):
        shares = [variant.draw(lab, "x", f"{i}@example.org") for i in range(400)]
        for name, values in lab.varies.items():
            assert {each[name] for each in shares} == set(values)
        assert variant.draw(lab, "x", "Ann@X.org") == variant.draw(lab, "x", "ann@x.org")
        assert shares != [variant.draw(lab, "y", f"{i}@example.org") for i in range(400)]


def text(numbers: dict[str, int], more: str = "") -> dict[str, bytes]:
    return {"constant_mask.cu": "\n".join([more, *variant.lines(numbers), "int x;"]).encode()}


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (text(ANN), []),
        (text(ANN, "#define PHASES 6"), []),  # the last one counts, as it does to the compiler
        (text(ANN, "# define\tOTHER 3\r"), []),
        ({"a.cu": ("\ufeff" + "\n".join(variant.lines(ANN))).encode()}, []),  # of Windows
        (text(BEN), ["the file is written for another variant: PHASES 6"]),
        (text({"PHASES": 5}), ["your file must say so"]),
        (text({}, "enum { PHASES = 5 };"), ["your file must say so", "    #define PHASES 5"]),
        ({"constant_mask.cu": b"\xff\xfe\x00"}, ["your variant has MASK_MAX_RADIUS 10, PHASES 5"]),
    ],
)
def test_a_file_states_its_variant(contents: dict[str, bytes], said: list[str]) -> None:
    found = "\n".join(variant.problems(ANN, contents))
    assert all(each in found for each in said) and bool(found) == bool(said)


def test_submitted_variant_h_is_ignored() -> None:
    people: dict[str, tuple[Person, ...]] = {
        "a": (Person(email="ann@x.org"),),
        "n": (Person("Nobody"),),
        "ab": (Person(email="ann@x.org"), Person(email="ben@x.org")),  # a group
    }
    entries = [Entry(student, people=them) for student, them in people.items()]
    given = Variants.of(Course(variants="x"), entries)
    own = variant.draw(LAB3, "\0x", "ann@x.org")
    other = next(v for v in variants.every(LAB3) if v not in (own, ANN))
    cheat = text(other) | {variant.FILE: "\n".join(variant.lines(other)).encode()}
    added = given.added(LAB3, "a", cheat)
    assert added and variant.read(added[variant.FILE].decode()) == own
    assert given.added(LAB3, "n", cheat) is None  # who is that?
    of_ben = variant.draw(LAB3, "\0x", "ben@x.org")
    stated = "\n".join(variant.lines(other)).encode()
    assert "was given out" in given.note(LAB3, "a", stated)
    assert "no variants" in Variants().note(LAB3, "a", stated)
    right = variant.header(LAB3, of_ben).encode()
    assert not any(given.note(LAB3, "ab", each) for each in (None, b"\xff", right))
    of_group = given.added(LAB3, "ab", text(of_ben))
    assert of_group and variant.read(of_group[variant.FILE].decode()) == of_ben
    assert Variants.of(Course(), entries).added(LAB3, "a", text(other)) == text(other)
    assert given.added(spec.load("lab1"), "n", {"cpu_loop.c": b""}) == {"cpu_loop.c": b""}


@pytest.mark.slow("it grades three programs")
@pytest.mark.parametrize("lab", VARYING)
def test_the_solution_has_full_marks_in_its_variant_alone(lab: str, tmp_path: Path) -> None:
    loaded = spec.load(lab)
    one, other = variants.every(loaded)[-1], variants.every(loaded)[-2]
    variants.hand_in(loaded, one, one, tmp_path)
    assert variants.failed(variants.graded(loaded, tmp_path)) == []
    variants.hand_in(loaded, other, one, tmp_path)
    result = variants.graded(loaded, tmp_path)
    assert variants.failed(result)[0] == "compiles"
    assert variant.in_words(one) in str(result["checks"])
    # Who writes the usual number where the name belongs says another variant, and is found.
    variants.hand_in(loaded, one, one, tmp_path)
    name = next(iter(loaded.varies))
    file = tmp_path / loaded.submit[0]
    head, _, body = file.read_text().partition('#include "lab.h"')
    body = body.replace(name, str(loaded.varies[name][0]))
    file.write_text(f'{head}#include "lab.h"{body}')
    assert any("any call" in each for each in variants.failed(variants.graded(loaded, tmp_path)))
