"""What is read from outside, damaged at random: a sentence, never a traceback. Fixed seeds."""

import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader import paths
from grader.execute.finding_lines import findings_in

sys.path.insert(0, str(paths.LABS / "sim" / "translate"))

from labs.sim.translate.reader.expanded import Expanded, Refusal
from labs.sim.translate.translation import Translation

CHECKS = sorted((paths.ROOT / "labs" / "studies" / "checks" / "correct").glob("*.cu"))
SOURCES = [program for file in CHECKS for program in file.read_bytes().split(b"\n}\n\n//")]
SOURCES += [file.read_bytes() for file in sorted((paths.ROOT / "solutions").glob("*/*.cu"))]
HEADERS = b" ".join(
    b" ".join(header.read_bytes().split())
    for header in sorted((paths.LABS / "sim" / "include").rglob("*.h"))
)
# Before a short loop that g++ is to unroll.
TOGETHER = re.compile(rb"\n__attribute__\(\(init_priority\(200\)\)\) [^\n]+;\n$")
UNROLLED = re.compile(rb'\n#pragma GCC unroll \d+\n# \d+ "student\.cu"\n')
PIECES = (
    b'<<< >>> ( ) { } /* " ; \\ \xff \0 __shared__ __constant__ extern template< cudaMalloc #define'
).split(b" ")


def damaged(content: bytes, chance: random.Random) -> bytes:
    """A few pieces cut out, doubled, moved or put in."""
    for _ in range(chance.randint(1, 6)):
        at, end = sorted(chance.randrange(len(content) + 1) for _ in range(2))
        end = min(end, at + chance.choice((1, 5, 40, 400)))
        cut = content[at:end]
        put = chance.choice((b"", cut + cut, chance.choice(PIECES), cut[::-1]))
        content = content[:at] + put + content[end:]
    return content


def mutants(count: int) -> Iterator[bytes]:
    chance = random.Random(20)
    for _ in range(count):
        yield damaged(chance.choice(SOURCES), chance)


@pytest.mark.slow("the translator reads hundreds of damaged files")
def test_rewriter_survives_damaged_source() -> None:
    refused = 0
    for source in mutants(600):
        try:
            # What a preprocessor might leave, after the names of its headers on one line.
            own = Expanded(b'# 1 "student.cu"\n' + source, [(0, HEADERS)])
            made = Translation(own, is_traced=bool(len(source) % 2)).rewrite()
        except Refusal as refusal:
            refused += 1
            assert str(refusal).startswith("student.cu:")
        else:
            # A pragma of ours has a line of its own, and a marker sets the number back; behind the
            # last line may stand that lanes of the program wait for each other.
            made = TOGETHER.sub(b"", UNROLLED.sub(b"", made))
            assert made.count(b"\n") == source.count(b"\n") + 1, "every line where it was"
    assert 0 < refused < 600


@pytest.mark.parametrize("seed", range(20))
def test_findings_of_a_killed_or_hostile_program(seed: int) -> None:
    chance = random.Random(seed)
    line = b'{"severity":"error","kind":"leak","file":"a.cu","line":3,"message":"never freed"}\n'
    found = findings_in(line + damaged(line * 5, chance), Path("/bin/true"))
    assert found and found[0].kind == "leak"
    assert all(f.render().isprintable() for f in found)
