"""A measured time belongs to the code that ran: a program that changed leaves the comparison."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from labs.studies.predict import collect, programs, timed_code
from labs.studies.predict.timed_code import digest

KERNEL = """#include "one.h"
/* what it does */
__global__ void k(float *d) { d[0] = 1; } // "done"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "one.h").write_text('#include "two.h"\n')
    (tmp_path / "two.h").write_text("#define SIZE 3\n")
    made = tmp_path / "k.cu"
    made.write_text(KERNEL)
    return made


def test_comments_and_whitespace_are_not_changes(file: Path) -> None:
    before = digest([file], [])
    file.write_text(KERNEL.replace("what", "whatever").replace("{ ", "{\n\n    "))
    assert digest([file], []) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("k.cu", "= 1", "= 2"), ("two.h", "3", "5"), ("k.cu", "k(", "kernel(")],
)
def test_code_is_a_change_also_in_a_header_of_a_header(
    file: Path, name: str, old: str, new: str
) -> None:
    before = digest([file], [])
    changed = file.with_name(name)
    changed.write_text(changed.read_text().replace(old, new))
    assert digest([file], []) != before


def test_a_comment_within_a_string_is_code(file: Path) -> None:
    file.write_text('const char *s = "// 1";')
    before = digest([file], [])
    file.write_text('const char *s = "// 2";')
    assert digest([file], []) != before


@pytest.fixture
def another_solution(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The solution of lab 6 is changed, as far as the comparison knows."""
    real = timed_code.of_program
    monkeypatch.setattr(
        timed_code, "of_program", lambda name: "other" if name == "lab6-solution" else real(name)
    )
    timed_code.changed.cache_clear()
    yield "lab6-solution"
    timed_code.changed.cache_clear()


def test_a_changed_program_has_no_truth(another_solution: str) -> None:
    assert "changed after it was timed" in timed_code.changed()[another_solution]
    names = {name.split()[0] for name in collect.truth()}
    assert another_solution not in names and "lab6-poor-misaligned" in names


def test_every_excluded_program_is_listed() -> None:
    """A harmless change of a header is a change of each program that includes it."""
    changed = timed_code.changed().items()
    unseen = [f"{name}: {what}" for name, what in changed if name not in timed_code.LEFT_OUT]
    assert not unseen, "\n".join(unseen)
    left = {name.split()[0] for name in collect.truth()}
    assert left == set(timed_code.timed()) - set(timed_code.LEFT_OUT)


def test_every_timed_program_is_pinned() -> None:
    assert set(timed_code.timed()) == set(programs.programs())
    for diff in programs.TIMED.iterdir():
        assert diff.stem in programs.programs() and diff.suffix == ".diff"


@pytest.mark.slow("calls are counted and predicted again")
def test_counters_tell_other_code() -> None:
    (one,) = [o for o in collect.count("lab8-solution") if o.call.size == (1024, 1024, 0, 0)]
    name = one.call.name
    assert timed_code.differences(name, one.launches) == []
    (counts,) = one.launches
    for other in (
        replace(counts, blocks=counts.blocks // 2),
        replace(counts, load_sectors=counts.load_sectors * 2),
    ):
        assert timed_code.differences(name, [other])
    assert timed_code.differences(name, [counts, counts])
