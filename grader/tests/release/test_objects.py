"""The objects of the solutions that students' copies time: what is in them, and what is not."""

import io
import os
import shutil
import struct
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader import paths
from grader.model import spec
from grader.release import __main__ as release
from grader.release import archive, contents, gate, objects, stripped
from grader.release.contents import Member, ReleaseError
from grader.release.objects import ARM, CUDA, X86_64, Kind
from grader.tests import captured
from grader.timing.reference import PREFIX

LAB1, LAB8 = spec.load("lab1"), spec.load("lab8")
PLACE = "labs/lab1_cpu_loop/reference/cpu_loop.c.x86-64.o"
HOST = next((kind for kind in (*X86_64, ARM) if kind.machine == objects.NATIVE), ARM)
needs_arm = pytest.mark.skipif(
    shutil.which(ARM.tool("gcc")) is None, reason="no gcc for aarch64 is installed"
)


@pytest.fixture(scope="module")
def ours() -> bytes:
    return objects.build(LAB1, "cpu_loop.c", HOST)


@pytest.fixture(scope="module")
def known() -> gate.Known:
    return gate.known(paths.ROOT, contents.tracked(paths.ROOT), contents.lists())


def found(known: gate.Known, content: bytes, path: str = PLACE) -> list[str]:
    """What the gate says of an archive of this one file."""
    return gate.findings(archive.pack([Member(path, content, False)], "convlabs", 0), known)


def compiled(folder: Path, source: str, *flags: str) -> bytes:
    """An object that gcc makes."""
    (folder / "own.c").write_text(source)
    argv = ["gcc", "-c", "-O1", "own.c", "-o", "own.o", *flags]
    subprocess.run(argv, cwd=folder, check=True)
    return (folder / "own.o").read_bytes()


def cleaned(folder: Path, content: bytes) -> bytes:
    """The object as objcopy strips it."""
    (folder / "raw.o").write_bytes(content)
    argv = ["objcopy", "--strip-unneeded", "--remove-section=.comment", "raw.o", "clean.o"]
    subprocess.run(argv, cwd=folder, check=True)
    return (folder / "clean.o").read_bytes()


def names(folder: Path, content: bytes, *flags: str) -> list[str]:
    (folder / "named.o").write_bytes(content)
    argv = ["nm", "--format=just-symbols", *flags, "named.o"]
    return captured.run(argv, cwd=folder, check=True).stdout.split()


def test_only_timed_functions_export_symbols(ours: bytes, tmp_path: Path) -> None:
    visible = names(tmp_path, ours, "--defined-only", "--extern-only")
    assert sorted(visible) == [f"{PREFIX}correlate_{name}" for name in ("loops", "openmp", "rows")]
    assert list(stripped.problems(ours)) == []


def test_objects_contain_no_source_lines_or_paths(ours: bytes, known: gate.Known) -> None:
    """Not even a short line, which the gate lets pass elsewhere."""
    source = (paths.SOLUTIONS / LAB1.folder / "cpu_loop.c").read_text()
    for line in filter(lambda text: len(text) > 7, map(str.strip, source.splitlines())):
        assert line.encode() not in ours, line
    # A clone may lie in a folder with the name of the project, which begins our names.
    folders = [part for part in paths.ROOT.parts if len(part) > 3 and part not in PREFIX]
    for text in ("cpu_loop", "lab1", ".c\0", "solutions", "GCC: (", "correlate_row\0", *folders):
        assert text.encode() not in ours, text
    assert found(known, ours) == []


def test_object_is_reproducible(ours: bytes) -> None:
    assert objects.build(LAB1, "cpu_loop.c", HOST) == ours


def test_an_object_of_cuda_is_made_once_until_something_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def build(_lab: object, file: str, _kind: Kind) -> bytes:
        made.append(file)
        return b"object %d" % len(made)

    versions = ["nvcc 1"]
    monkeypatch.setattr(objects, "build", build)
    monkeypatch.setattr(objects, "_run", lambda argv: versions[0] if argv[0] == "nvcc" else "gcc 1")
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    monkeypatch.setattr(paths, "SOLUTIONS", tmp_path)
    source = tmp_path / LAB8.folder / "grayscale.cu"
    source.parent.mkdir()
    source.write_text("int x;")
    assert [objects.kept(LAB8, "grayscale.cu") for _ in range(2)] == [b"object 1"] * 2
    source.write_text("int y;")
    assert objects.kept(LAB8, "grayscale.cu") == b"object 2"
    versions[0] = "nvcc 2"
    assert objects.kept(LAB8, "grayscale.cu") == b"object 3"
    source.write_text("int x;")
    versions[0] = "nvcc 1"
    assert objects.kept(LAB8, "grayscale.cu") == b"object 1"


@pytest.mark.parametrize("flags", [[], ["-g"], ["-flto", "-ffat-lto-objects"]])
def test_an_object_as_compilers_leave_it(
    known: gate.Known, tmp_path: Path, flags: list[str]
) -> None:
    source = "static int half(int x) { return x / 2; }\nint (*answer(void))(int) { return half; }\n"
    problems = found(known, compiled(tmp_path, source, *flags))
    assert any("the name answer in an object" in line for line in problems)
    assert any("a file's name in an object: own.c" in line for line in problems)
    assert any("the section .comment of an object; strip it" in line for line in problems)
    assert any(".debug_" in line for line in problems) == (flags == ["-g"])
    assert any(".gnu.lto" in line for line in problems) == ("-flto" in flags)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("int tap(void) { return 1; }", "the name tap in an object"),
        ("const char *f(void) { return __FILE__; }", "a file's name in an object: own.c"),
        ('const char *f(void) { return "/home/me/x"; }', "a file's name in an object: /home/me/x"),
        ('const char *f(void) { return "LINE"; }', "a line of a solution"),
    ],
)
def test_a_stripped_object_that_tells(
    known: gate.Known, tmp_path: Path, source: str, problem: str
) -> None:
    line = next(t.text.decode() for t in known.texts if "cpu_loop.c" in t.what)
    content = compiled(tmp_path, source.replace("LINE", line).replace("f(", f"{PREFIX}f("))
    problems = found(known, cleaned(tmp_path, content))
    assert [text for text in problems if problem in text], problems
    assert len(problems) == 1


def test_odd_objects_that_may_pass(known: gate.Known, tmp_path: Path) -> None:
    for body in (
        "void f(void) {}",
        "extern void other(void);\nvoid f(void) { other(); }",  # it defines no other()
        "double f(double x) { return x * 0.1 / 3; }",  # constants: .LC0
        'const char *f(void) { return "7 % of x, y\\n"; }',
    ):
        content = compiled(tmp_path, body.replace("f(", f"{PREFIX}f("))
        assert found(known, cleaned(tmp_path, content)) == [], body


def test_malformed_objects_are_rejected(known: gate.Known, tmp_path: Path, ours: bytes) -> None:
    shared = compiled(tmp_path, f"int {PREFIX}f;", "-shared", "-fPIC", "-g0")
    subprocess.run(["gcc", "-shared", "own.o", "-o", "own.so"], cwd=tmp_path, check=True)
    shared = (tmp_path / "own.so").read_bytes()
    assert any("not an object to link" in line for line in found(known, shared))
    for cut in (b"", b"\x7fELF", ours[:70], ours[: len(ours) // 2], ours[:-64]):
        assert found(known, cut) != []
    many = ours[:60] + struct.pack("<H", 65535) + ours[62:]
    assert any("damaged" in line for line in found(known, many))


def test_objects_have_one_place(known: gate.Known, ours: bytes) -> None:
    for path in ("labs/lab1_cpu_loop/cpu_loop.c.o", "starter/reference/cpu_loop.c.x86-64.o"):
        assert any("a compiled program or object" in line for line in found(known, ours, path))
    text = found(known, b"int x;\n")
    assert text == [f"{PLACE}: not an object for a 64-bit machine"]


def without_objects() -> contents.Lists:
    lists = contents.lists()
    return contents.Lists(lists.inside, lists.published, objects=False)


def test_gate_rejects_objects_without_the_option(ours: bytes) -> None:
    known = gate.known(paths.ROOT, contents.tracked(paths.ROOT), without_objects())
    assert any("a compiled program or object" in line for line in found(known, ours))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[str]], set[str]]:
    """The files of an archive of some labs. Compilers are stubs, and nothing else is."""
    monkeypatch.setattr(objects, "build", lambda lab, _, kind: f"{lab.id} {kind.name}".encode())
    monkeypatch.setattr(objects, "kept", lambda lab, _: f"{lab.id} {CUDA.name}".encode())
    monkeypatch.setattr(objects, "_missing", lambda _: None)

    def files(labs: list[str]) -> set[str]:
        _, data, _ = release.make(paths.ROOT, labs, dirty=True)
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            names = tar.getnames()
        assert names == sorted(names)
        return {name.partition("/")[2] for name in names}

    return files


def test_an_archive_with_objects(made: Callable[[list[str]], set[str]]) -> None:
    files = {path for path in made(["lab1", "lab8"]) if path.endswith(".o")}
    assert PLACE in files
    assert "labs/lab1_cpu_loop/reference/cpu_loop.c.x86-64-v4.o" in files
    assert "labs/lab1_cpu_loop/reference/cpu_loop.c.x86-64-v3.haswell.o" in files
    assert "labs/lab1_cpu_loop/reference/cpu_loop.c.aarch64.o" in files
    assert "labs/lab8_grayscale/reference/grayscale.cu.x86-64.o" in files
    assert all(path.startswith(("labs/lab1_", "labs/lab8_")) for path in files)


def test_an_archive_without_them(
    made: Callable[[list[str]], set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = without_objects()
    monkeypatch.setattr(contents, "lists", lambda: lists)
    assert not [path for path in made(["lab1"]) if path.endswith(".o")]


def test_students_get_them_by_default() -> None:
    assert contents.Lists([], []).objects
    assert contents.lists().objects


def test_an_object_that_nobody_needs_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lab 8 is compiled alike for every processor."""
    monkeypatch.setattr(objects, "_missing", lambda kind: None if kind in X86_64 else "gcc")
    files = [member.path for member in objects._of_file(LAB8, "grayscale.c")]
    assert files == ["labs/lab8_grayscale/reference/grayscale.c.x86-64.o"]


def test_a_compiler_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    there = ("gcc", "nm", "objcopy")
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name in there else None)
    monkeypatch.setattr(objects, "_of_file", lambda _, __: iter(()))
    said: list[str] = []
    objects.members(["lab1", "lab8"], said.append)
    other = ARM if HOST is not ARM else X86_64[0]
    assert said == [
        f"no object of our solution for C on {other.machine}: {other.tool('gcc')} is not installed",
        "no object of our solution for CUDA on x86_64: nvcc is not installed",
        "0 objects of our solution, 0 bytes, for timing alone",
    ]
    said.clear()
    objects.members(["lab1"], said.append)
    assert not any("CUDA" in line for line in said)  # lab 1 has none


def test_a_solution_that_does_not_compile() -> None:
    with pytest.raises(ReleaseError, match=r"(?s)made no object.*set `objects = false`"):
        objects.build(LAB1, "cpu_loop.c", Kind("x", HOST.machine, "-march=nothing"))


@needs_arm
def test_an_object_for_aarch64(known: gate.Known) -> None:
    """lab 8's own flags, too, are those of the machine that it is compiled for."""
    for lab, file in ((LAB1, "cpu_loop.c"), (LAB8, "grayscale.c")):
        content = objects.build(lab, file, ARM)
        assert content[18:20] == b"\xb7\0"
        assert found(known, content) == []


@pytest.mark.slow("nvcc compiles")
def test_code_for_gpus_tells_nothing_either(
    known: gate.Known, real_nvcc: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uncompressed, so that the gate could see a line or a name of a file in it."""
    monkeypatch.setenv("PATH", str(Path(real_nvcc).parent), prepend=os.pathsep)
    content = objects.build(LAB8, "grayscale.cu", CUDA, packed=False)
    assert found(known, content, "labs/lab8_grayscale/reference/grayscale.cu.x86-64.o") == []
    for text in (b"grayscale.cu", b"in.cu", b"lineinfo", b".debug_line"):
        assert text not in content
    assert len(objects.build(LAB8, "grayscale.cu", CUDA)) < len(content)
