"""What a part runs: it is the same only while nothing that the part could notice has changed."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from grader import paths
from grader.compile import part_code, sources
from grader.compile.permitted.elf import ObjectError
from grader.model import spec

LAB = spec.load("lab3")
GIVEN = """
#include <stdio.h>
#define HALF 0.5f
float table[] = {1, 2, 3};
int seen = 4;
static float scaled(float x) __attribute__((noinline));
static float scaled(float x) { return x * HALF + table[0]; }
static float of_b(float x) __attribute__((noinline));
static float of_b(float x) { return x + 8; }
template <int n> void kernel(float *to) { to[n] = scaled(n); }
void kernel_b(float *to) { to[1] = of_b(*to); }
typedef void (*pointer)(float *);
pointer chosen = kernel<2>;
extern "C" {
int set_mask(float *to) { chosen(to); return seen; }
int correlate_constant(float *to) { puts("A"); kernel<1>(to); return 0; }
int set_bank(float *to) { kernel_b(to); return printf("%g", *to); }
int correlate_polyphase(float *to) { pointer p = kernel_b; p(to + 1); return 3; }
}
"""
# What is replaced, by what, and the parts for which something has changed then.
EDITS = [
    ("#include", "/* a comment */ #include", ""),
    ('puts("A"); ', 'puts ( "A" ) ;', ""),
    ("float x) { return x + 8", "float y) { return y + 8", ""),
    ('puts("A")', 'puts("a")', "A"),
    ("seen; }", "seen + 1; }", "A"),
    ("to[n] = scaled(n)", "to[n] = scaled(n) + 1", "A"),
    ("return x + 8", "return x + 9.5f", "B"),
    ('"%g"', '"%f, and more"', "B"),
    ("p(to + 1)", "p(to + 2)", "B"),
    ("to[1] = of_b(*to)", "to[1] = scaled(*to)", "B"),
    ("HALF 0.5f", "HALF 0.25f", "A"),
    ("return x * HALF", "return x * x * HALF", "A"),
    # A variable, its value, or a name for others: all is judged again.
    ("int seen = 4", "int seen = 5", "AB"),
    ("{1, 2, 3}", "{1, 2, 3, 4}", "AB"),
    ("return x + 8", "static int n; return x + n++", "AB"),
    ("chosen = kernel<2>", "chosen = kernel_b", "AB"),
    ("void kernel_b", "void another(float *to) { *to = 1; }\nvoid kernel_b", "AB"),
    # What runs without being called by a part.
    ("extern", "__attribute__((constructor)) static void f(void) { seen = 7; }\nextern", "AB"),
    ("extern", "static int g(void) { return getchar(); }\nint more = g();\nextern", "AB"),
    ("int set_bank(", "int toupper(int c) { return c; }\nint set_bank(", "AB"),
    ("extern", 'asm(".data; .long 1; .text");\nextern', "AB"),
    ("extern", 'asm(".text; nop");\nextern', "AB"),
]


def hashes(text: str, folder: Path) -> dict[str, bytes]:
    """Those of a submission's plain program. g++ takes the place of the simulator's build."""
    file = folder / f"{LAB.submit[0]}.o"
    argv = ["g++", "-x", "c++", "-O1", "-ffunction-sections", "-w", "-c", "-", "-o", str(file)]
    subprocess.run(argv, input=text.encode(), check=True)
    return part_code.hashes(folder / "run", LAB)


@pytest.fixture(scope="module", autouse=True)
def before(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, bytes]]:
    with mock.patch.object(sources, "linked", lambda *_: []):
        yield hashes(GIVEN, tmp_path_factory.mktemp("before"))


@pytest.mark.parametrize(("old", "new", "changed"), EDITS)
def test_an_edit_changes_the_parts_that_it_reaches(
    old: str, new: str, changed: str, before: dict[str, bytes], tmp_path: Path
) -> None:
    assert old in GIVEN
    after = hashes(GIVEN.replace(old, new, 1), tmp_path)
    assert "".join(part for part in after if after[part] != before[part]) == changed


def test_a_code_that_is_followed_anywhere_is_that_of_all(tmp_path: Path) -> None:
    """A function that another part calls is that part's as well."""
    both = GIVEN.replace("p(to + 1)", "set_mask(to)")
    one, other = (hashes(t, tmp_path) for t in (both, both.replace("seen; }", "seen + 1; }", 1)))
    assert one["A"] != other["A"] and one["B"] != other["B"]


def test_the_courses_objects_count(
    before: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "libsim.a"
    library.write_bytes(b"another")
    monkeypatch.setattr(sources, "linked", lambda *_: [library])
    after = hashes(GIVEN, tmp_path)
    assert all(after[part] != before[part] for part in after)


def test_damaged_object_is_reported(tmp_path: Path) -> None:
    hashes(GIVEN, tmp_path)
    file = tmp_path / f"{LAB.submit[0]}.o"
    file.write_bytes(file.read_bytes()[:999])
    with pytest.raises(ObjectError):
        part_code.hashes(tmp_path / "run", LAB)


@pytest.mark.parametrize("name", [f"lab{n}" for n in range(2, 9)])
def test_a_labs_parts_call_different_functions_of_its_header(name: str) -> None:
    lab = spec.load(name)
    called = [function for part in lab.part for function in part.calls]
    assert len(set(called)) == len(called) and all(part.calls for part in lab.part)
    headers = "".join(file.read_text() for file in (paths.LABS / lab.folder).glob("*.h"))
    assert all(f" {function}(" in headers for function in called)
