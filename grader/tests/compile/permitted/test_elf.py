"""Objects that are damaged, or that are no objects."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from grader.compile.permitted import elf, object_check
from grader.compile.permitted.elf import ObjectError
from grader.compile.permitted.object_check import Checked
from grader.tests import captured

SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
static int (*const table[])(const char *) = {puts};
int helper(int x);
int helper(int x) { printf("%d", x); return table[x](getenv("A")); }
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elf")
    (folder / "a.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-g1", "-U_FORTIFY_SOURCE", "-c", "a.c"], cwd=folder, check=True)
    return folder / "a.o"


def checked(file: Path) -> Checked:
    return Checked(file, "plain", "lab1_cpu_loop", file.parent)


def test_symbols_equal_those_of_nm(compiled: Path) -> None:
    argv = ["nm", "--format=just-symbols", str(compiled)]
    listed = captured.run(argv, check=True).stdout.split()
    symbols = elf.read_object(compiled).symbols
    symbols = [s for s in symbols if s.kind not in (elf.FILE, elf.SECTION)]
    named = {s.name for s in symbols if s.name and not s.name.startswith(".")}
    assert named == {name for name in listed if not name.startswith((".", "a.c"))}
    assert {s.name for s in symbols if not s.is_defined()} >= {"printf", "puts", "getenv"}


def test_uses_lie_in_the_function(compiled: Path) -> None:
    parts = elf.read_object(compiled)
    (index,) = (i for i, s in enumerate(parts.symbols) if s.name == "getenv")
    (use,) = parts.relocations_of(index)
    function = parts.function_at(use.section, use.offset)
    assert function and function.name == "helper"


def test_a_damaged_object_is_refused_or_judged(compiled: Path, tmp_path: Path) -> None:
    """Any byte may be another: nothing but a refusal may come of it."""
    data = compiled.read_bytes()
    damaged = tmp_path / "damaged.o"
    chance = random.Random(1)
    refused = 0
    for _ in range(1500):
        content = bytearray(data)
        for _ in range(chance.randint(1, 8)):
            header = chance.random() < 0.5
            at = chance.randrange(64) if header else chance.randrange(len(content))
            content[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        damaged.write_bytes(
            content[: chance.choice((len(content), chance.randrange(len(content))))]
        )
        refused += bool(object_check.check_object(checked(damaged)))
    assert refused > 1000


def test_malformed_objects_are_rejected(tmp_path: Path, compiled: Path) -> None:
    for content in (b"", b"\x7fELF", b"!<arch>\n", b"int x;\n" * 100):
        (tmp_path / "x.o").write_bytes(content)
        (refusal,) = object_check.check_object(checked(tmp_path / "x.o"))
        assert "cannot be checked" in refusal.text
    (tmp_path / "link.o").symlink_to(compiled)
    with pytest.raises(OSError, match="symbolic links"):
        elf.read_object(tmp_path / "link.o")
    os.mkfifo(tmp_path / "fifo.o")
    with pytest.raises(ObjectError):
        elf.read_object(tmp_path / "fifo.o")
