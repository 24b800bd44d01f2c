"""The catalogue has a sentence for each kind and case that is found, and for nothing else."""

import subprocess
from pathlib import Path

import msgspec
import pytest

from grader import paths
from grader.execute import sanitizers
from grader.findings import catalogue
from grader.findings.record import MemoryObject, Record
from grader.findings.sentence import sentence
from grader.model.finding import Finding

LIST = r"""
#include "evidence/finding.h"
#include <stdio.h>
#define LINE(name, kind, which) puts(kind " " which);
int main(void) { FINDINGS(LINE) }
"""
PLACE = Record(
    "shared-race", file="a.cu", line=4, block=[0, 0, 0], thread=[1, 0, 0], verb="read",
    other_verb="write", bytes=4, offset=36,
    object=MemoryObject("shared", "s", 64, "a.cu", 2, element=4, columns=8),
)  # fmt: skip


def of_c(folder: Path) -> set[tuple[str, str]]:
    """What the code in C may find: the list that its names are made from."""
    source, program = folder / "list.c", folder / "list"
    source.write_text(LIST)
    command = ["gcc", "-Ilabs/sim/src", str(source), "-o", str(program)]
    subprocess.run(command, check=True, cwd=paths.ROOT)
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    lines = [tuple(line.split(" ")) for line in done.stdout.splitlines()]
    assert len(lines) == len(set(lines)), "two names for one case"
    return {(kind, case) for kind, case in lines}


def of_sanitizers() -> set[tuple[str, str]]:
    outside = (*sanitizers.SIDES.values(), sanitizers.NAMED, sanitizers.NOWHERE)
    return {
        *sanitizers.ERRORS.values(),
        *((sanitizers.OUTSIDE, case) for case in outside),
        *(sanitizers.OTHER, sanitizers.LEAKED, sanitizers.LEAKED_SOMEWHERE, sanitizers.UNDEFINED),
    }


def test_each_kind_and_case_has_one_sentence_and_no_other_has(tmp_path: Path) -> None:
    assert set(catalogue.TEMPLATES) == of_c(tmp_path) | of_sanitizers()


@pytest.mark.parametrize(("kind", "case"), catalogue.TEMPLATES)
def test_a_sentence_needs_no_member_of_its_record(kind: str, case: str) -> None:
    for record in (Record(kind, case), msgspec.structs.replace(PLACE, kind=kind, case=case)):
        said = sentence(record)
        assert said.isprintable() and "{" not in said and len(said) > 10


def test_unknown_finding_is_described_by_its_kind() -> None:
    assert Finding("new-kind", "of-its-own", file="a.cu", line=3).render() == (
        "a.cu:3: new-kind of-its-own"
    )


def test_the_file_of_a_finding_is_named_once() -> None:
    assert "declared at a.cu:2)" in sentence(PLACE)
    assert "declared at line 2)" in sentence(PLACE, "a.cu")
    assert "declared at a.cu:2)" in sentence(PLACE, "b.cu")


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({}, "s[1][1] (64 bytes of shared memory, declared"),
        ({"offset": -4}, "element -1 of s (64"),
        ({"offset": 35}, "35 bytes into s (64"),
        ({"bytes": 6}, "36 bytes into s (64"),
        ({"object": MemoryObject("shared", "s", 64, element=4)}, "s[9] (64"),
        ({"object": MemoryObject("shared", "s", 64, element=4, rows=2, columns=3)}, "s[1][1][0] ("),
        ({"object": MemoryObject("device", "", 64, "a.cu", 7)}, "element 9 of the array of 64"),
        ({"object": MemoryObject("device", "d_out", 64)}, "element 9 of d_out (64 bytes)"),
        ({"object": MemoryObject("dynamic", "", 64)}, "element 9 of the block's 64 bytes"),
        ({"object": MemoryObject("heap", "", 64)}, "element 9 of 64 bytes that a kernel allocated"),
    ],
)  # fmt: skip
def test_an_element_is_named_as_in_the_source(members: dict[str, object], says: str) -> None:
    assert f"the same bytes of {says}" in sentence(msgspec.structs.replace(PLACE, **members))
