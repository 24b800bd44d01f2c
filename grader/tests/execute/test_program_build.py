"""Messages of `./grade run` while it builds: warnings and machine errors."""

import os
import subprocess
import uuid
from pathlib import Path

import pytest

from grader import paths
from grader.compile import compiler_messages
from grader.execute import program as programs
from grader.tests import captured
from grader.tests.execute.test_program import run
from labs.tests.programs.hecbench import from_makefile, smaller

QUIET = """#include <stdio.h>
__global__ void fill(int *out) { __shared__ int s[32]; s[threadIdx.x] = 7; out[0] = s[0]; }
int main(int argc, char **argv)
{
    int *out, got = 0;
    if (cudaMalloc(&out, 128)) return 1;
    fill<<<1, 1>>>(out);
    if (cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost)) return 1;
    printf("%d\\n", got);
    return cudaFree(out) ? 1 : 3;
}
"""
NOISY = """#include "own.h"
__device__ int of_device(int x) { if (x) return 1; }
int main() {
    unsigned int many = 3;
    for (int i = 0; i < many; i++) { }
    cudaThreadSynchronize();
    return of_header();
}
"""
HEADER = "static inline int of_header() { int unused_here; return 3; }\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A program that was never built before."""
    file = tmp_path / "p.cu"
    file.write_text(f"// {uuid.uuid4()}\n{QUIET}")
    return file


def warned(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if "warning" in line]


@pytest.mark.parametrize("options", [(), ("--check",)])
def test_warnings_of_the_users_own_files(source: Path, options: tuple[str, ...]) -> None:
    (source.parent / "own.h").write_text(HEADER)
    source.write_text(NOISY)
    done = run(source, *options)
    assert (done.returncode, done.stdout) == (3, "")
    lines = warned(done.stderr)
    assert len(lines) == 4, lines
    assert any(line.startswith(f"{source.parent}/own.h:1: warning: unused") for line in lines)
    for number, text in ((2, "control reaches end"), (5, "signedness"), (6, "is deprecated")):
        assert any(line.startswith(f"{source}:{number}: ") and text in line for line in lines)
    assert "cudaThreadSynchronize()’" in done.stderr and "sim_" not in done.stderr
    assert not warned(run(source, *options).stderr), "nothing had to be compiled"


@pytest.mark.parametrize("options", [(), ("--check",)])
def test_a_program_without_faults_has_no_warnings(source: Path, options: tuple[str, ...]) -> None:
    done = run(source, *options)
    assert (done.returncode, done.stdout) == (3, "7\n"), done.stderr
    assert not warned(done.stderr)


def test_many_warnings_do_not_drown_the_output(source: Path) -> None:
    unused = "".join(f"    int unused_{i};\n" for i in range(12))
    source.write_text(f"int main() {{\n{unused}    return 0;\n}}\n")
    stderr = run(source).stderr
    assert len(stderr.splitlines()) == 11 and "and 2 more warnings" in stderr


@pytest.mark.parametrize("options", [(), ("--check",)])
def test_compiler_error_prints_nothing_else(source: Path, options: tuple[str, ...]) -> None:
    source.write_text(QUIET.replace("s[threadIdx.x] = 7;", "s[threadIdx.x] = 7"))
    said = run(source, *options).stderr.splitlines()
    assert sum("error: " in line for line in said) == 1 and len(said) <= 5, said
    assert not any("labs/sim" in line or "warning" in line for line in said)


def test_the_simulators_headers_are_not_shown() -> None:
    header = "labs/sim/include/sim/symbols.h:7:46"
    log = (
        "a.cu: In function ‘int main()’:\na.cu:3:1: error: no function for call\n    3 | f(d);\n"
        "In file included from labs/sim/include/cuda_runtime.h:34,\n"
        f"                 from <stdin>:1:\n{header}: note: candidate: ‘f(int, const char*, int)’\n"
        f"    7 | SIM\n{header}: warning: ‘__x’ defined but not used\n    8 | SIM\n"
        "a.cu:4:2: warning: ‘sim_mark’ unused\na.cu:5:2: warning: unused ‘x’\n    5 | int x;\n"
    )
    assert compiler_messages.program_errors(log) == [
        *log.splitlines()[:3],
        "note: candidate: ‘f(int)’",
        "(1 warning not shown)",
    ]
    warnings = "".join(log.splitlines(keepends=True)[-2:])
    assert compiler_messages.program_errors(warnings) == warnings.splitlines()


def test_a_caret_in_added_code_is_left_out() -> None:
    log = "a.cu:3:9: error: no\n    3 | int a;\n      |     ^\n"
    assert compiler_messages.program_errors(log) == log.splitlines()
    behind = log.replace("    ^", " " * 70 + "^")
    assert compiler_messages.program_errors(behind) == ["a.cu:3: error: no", "    3 | int a;"]


def test_an_inline_variable_of_a_header_is_one_variable(tmp_path: Path) -> None:
    (tmp_path / "both.h").write_text(
        "inline __device__ int both = 5;\n__device__ static inline int each = 6;\n"
    )
    (tmp_path / "a.cu").write_text(
        '#include "both.h"\n__global__ void set_a() { both = 50; each = 60; }\n'
        "void set() { set_a<<<1, 1>>>(); }\n"
    )
    (tmp_path / "b.cu").write_text(
        '#include "both.h"\n#include <stdio.h>\n__device__ int other = 7;\nvoid set();\n'
        '__global__ void show() { printf("%d %d %d\\n", both, each, other); }\n'
        "int main() { set(); show<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n"
    )
    for options in ((), ("--check",)):
        done = run(*options, tmp_path / "a.cu", tmp_path / "b.cu")
        assert (done.returncode, done.stdout) == (0, "50 6 7\n"), done.stderr


def test_each_file_has_its_own_variables_of_a_header(tmp_path: Path) -> None:
    """As nvcc builds it without -rdc; a program with an extern variable is for nvcc -rdc=true."""
    (tmp_path / "mask.h").write_text("#pragma once\n__constant__ int mask[3];\n")
    (tmp_path / "a.cu").write_text(
        '#include "mask.h"\nvoid set() { int m[3] = {1, 2, 3}; '
        "(void)cudaMemcpyToSymbol(mask, m, sizeof m); }\n"
    )
    (tmp_path / "b.cu").write_text(
        '#include "mask.h"\n#include <stdio.h>\nvoid set();\n'
        '__global__ void show() { printf("%d\\n", mask[1]); }\n'
        "int main() { set(); show<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n"
    )
    files = tmp_path / "a.cu", tmp_path / "b.cu"
    done = run(*files)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
    (tmp_path / "mask.h").write_text("#pragma once\nextern __constant__ int mask[3];\n")
    with files[0].open("a") as file:
        file.write("__constant__ int mask[3];\n")
    done = run("-rdc=true", *files)
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr


def test_nvcc_options_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "#include <math.h>\n#include <stdio.h>\nint answer();\n"
        "int main(int argc, char **argv) {\n"
        "#pragma omp parallel num_threads(3)\n{\n#pragma omp single\n"
        '    printf("%d %s %s %d %ld ", N, NAME, argv[1], TEAM, __cplusplus);\n}\n'
        '    printf("%d\\n", answer());\n}\n'
    )
    (tmp_path / "b.C").write_text(
        "#include <omp.h>\nint answer() { return omp_in_parallel() + M; }\n"
    )
    kept = tmp_path / "kept"
    options = ["-O3", "-arch=sm_80", "-std=c++20", "-DN=3", "-D", 'NAME="a b"', "-Xcompiler"]
    options += ["-fopenmp,-DTEAM=4", "--define-macro=M=2", "-use_fast_math", "-lm", "-gencode"]
    options += ["arch=compute_80,code=sm_80", "-nosuch", "--nosuch", "-o", str(kept)]
    done = run(*options, tmp_path / "a.cu", tmp_path / "b.C", "--", "x")
    assert (done.returncode, done.stdout) == (0, "3 a b x 4 202002 2\n"), done.stderr
    ignored = "grade: {} has no meaning here and is ignored\n"
    assert done.stderr == ignored.format("-nosuch") + ignored.format("--nosuch")
    assert captured.run([kept, "y"]).stdout == "3 a b y 4 202002 2\n"
    assert "No such option: --chek" in run("--chek", tmp_path / "a.cu").stderr
    (tmp_path / "c.cu").write_text('#include "of_a_course.h"\nint main() {}\n')
    assert "of_a_course.h: give -I and" in run(tmp_path / "c.cu").stderr
    (tmp_path / "c.cu").write_text("int main() {}\n")
    assert "-lnosuch: install" in run("-lnosuch", tmp_path / "c.cu").stderr


def test_openmp_of_a_header_that_is_asked_for(tmp_path: Path) -> None:
    """nvcc without -Xcompiler -fopenmp defines no _OPENMP."""
    source = tmp_path / "a.cu"
    source.write_text(
        "#ifdef _OPENMP\n#include <omp.h>\nint n = 1;\n#else\nint n;\n#endif\n"
        "int main() { return n; }\n"
    )
    for options, status in (((), 0), (("-Xcompiler", "-fopenmp"), 1)):
        done = run(*options, source)
        assert done.returncode == status, done.stderr


def test_files_of_any_name_are_cuda(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        '#include <cstdio>\n__global__ void hello() { printf("3\\n"); }\n'
        "int main() { hello<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n"
    )
    for option in ("-x", "--x"):
        done = run(option, "cu", tmp_path / "a.c")
        assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", ""), done.stderr


def test_run_builds_a_makefile_program(tmp_path: Path) -> None:
    """As labs/tests/programs/hecbench.py runs those of others."""
    (tmp_path / "Makefile").write_text(
        "main: main.o\n\tnvcc -arch=sm_60 main.o \\\n  -o main -lm\n"
        "main.o: main.c\n\tnvcc -Xcompiler -Wall -std=c++17 --x cu -I up -DN=3 -c main.c -o $@\n"
        "run: main\n\t./main 7 'a b'\n\t./main 8\n"
    )
    (tmp_path / "main.c").write_text("int main() { return 0; }\n")
    program = from_makefile("HeCBench", tmp_path)
    assert program is not None
    assert (program.files, program.arguments, program.needs) == (["main.c"], ["7", "a b"], None)
    assert program.options == ["-std=c++17", "--x", "cu", "-I", "up", "-DN=3", "-lm"]
    (tmp_path / "main.c").write_text("#include <cub/cub.cuh>\n")
    program = from_makefile("HeCBench", tmp_path)
    assert program is not None and program.needs == "Thrust, CUB or libcu++"
    (tmp_path / "Makefile").write_text("run:\n\techo nothing\n")
    assert from_makefile("HeCBench", tmp_path) is None


def test_smaller_sizes_of_a_program() -> None:
    """The last number is how often it repeats; a size may stand behind the name of its option."""
    sizes = [" ".join(words) for words in smaller(["4096", "-num=100", "a1", "30"], "-s 5")]
    assert sizes == [
        "4096 -num=100 a1 30",
        "4096 -num=100 a1 1",
        "512 -num=12 a1 1",
        "64 -num=100 a1 1",
        "-s 5",
    ]
    assert list(smaller(["-p=300"])) == [["-p=300"], ["-p=1"]]


def test_non_program_files_are_refused(tmp_path: Path) -> None:
    wide = tmp_path / "wide.cu"
    wide.write_text(QUIET, encoding="utf-16")
    assert run(wide).stderr == f"grade: {wide}: the file is UTF-16: save it as UTF-8\n"
    lab = paths.ROOT / "starter" / "lab3_constant_mask" / "constant_mask.cu"
    assert f"this is lab3's file: ./grade lab3 --src {lab}\n" in run(lab).stderr


def test_variables_that_only_the_linker_adds_up(source: Path) -> None:
    names = "namespace {} {{ __device__ char v[3 << 29]; }}\n"
    source.write_text(
        "".join(names.format(n) for n in "ab")
        + "__global__ void k() { a::v[1] = b::v[1]; }\nint main() { k<<<1, 1>>>(); }\n"
    )
    done = run(source)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "more than 2 GB" in done.stderr and "use cudaMalloc()" in done.stderr


# ---- a machine that does not let it work


def path_without(*absent: str, folder: Path) -> str:
    """A PATH with all programs of this one except those."""
    folder.mkdir()
    for where in reversed(os.environ["PATH"].split(":")):
        for program in Path(where).iterdir() if Path(where).is_dir() else ():
            if program.name not in absent:
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)
    return str(folder)


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 3 and done.stdout == "", done.stderr
    assert done.stderr.startswith("grade: ") and len(done.stderr.splitlines()) == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr


@pytest.mark.parametrize("name", ["g++", "make", "as"])
def test_a_missing_program_is_named(
    name: str, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(source)  # the simulator is built
    source.write_text(source.read_text() + "\n")
    monkeypatch.setenv("PATH", path_without(name, folder=tmp_path / "bin"))
    refused(run(source), name, "./grade doctor")


@pytest.mark.parametrize("home", [None, "/nonexistent"])
def test_program_runs_without_a_home_folder(
    home: str | None, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME")
    if home:
        monkeypatch.setenv("HOME", home)
    done = run(source)
    assert (done.returncode, done.stdout, done.stderr) == (3, "7\n", "")


def mounted(script: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a script that may mount file systems of its own: "$G" is `./grade run`."""
    prefix = ["unshare", "--user", "--map-root-user", "--mount"]
    return captured.run(
        [*prefix, "bash", "-c", script, "bash", *arguments],
        timeout=120,
        env=os.environ | {"G": f"{paths.ROOT}/grade run", "BUILD": str(paths.BUILD)},
    )


@pytest.mark.needs("user mounts")
@pytest.mark.slow("programs are built and run")
@pytest.mark.parametrize("size", ["8k", "1m", "1300k"])
def test_a_full_disk_below_build(size: str, source: Path) -> None:
    """At 8 KB the translated file does not fit, at 1 MB the object, then the program."""
    run(source)  # the simulator is built, and the folder is there
    source.write_text(source.read_text() + "\n")
    mount = f"mount -t tmpfs -o size={size} none $BUILD/program && "
    refused(mounted(mount + '$G "$1"', source), "No space left", "free some space")
    done = mounted(mount + '$G "$1" 2> /dev/null; mount -o remount,size=9m $BUILD/program; $G "$1"',
                   source)  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "7\n"), "nothing half-written was left"


@pytest.mark.needs("user mounts")
def test_a_full_disk_for_temporary_files(source: Path) -> None:
    run(source)
    source.write_text(source.read_text() + "\n")
    script = 'mount -t tmpfs -o size=8k none "$2" && TMPDIR="$2" $G "$1"'
    (source.parent / "tmp").mkdir()
    refused(mounted(script, source, source.parent / "tmp"), "No space left", "free some space")


@pytest.mark.needs("user mounts")
@pytest.mark.parametrize("options", ["--check", "--profile", "--json /dev/null"])
def test_findings_that_cannot_be_written_are_not_missing(options: str, source: Path) -> None:
    """A full disk is no reason to say `nothing found`."""
    source.write_text(source.read_text().replace("out[0] =", "out[99] ="))
    run(source, *options.split())
    fill = "mount -t tmpfs -o size=8k none $BUILD/run && head -c 8k /dev/zero > $BUILD/run/fill; "
    done = mounted(f'{fill} $G {options} "$1"', source)
    assert done.returncode == 3
    assert "is the disk full?" in done.stderr and "Traceback" not in done.stderr
    assert "nothing found" not in done.stderr
    if options == "--check":
        assert "verb write, bytes 4" in done.stderr


@pytest.mark.needs("user mounts")
def test_a_read_only_repository(source: Path) -> None:
    run(source)
    script = 'mount --bind $BUILD $BUILD && mount -o remount,ro,bind $BUILD && $G "$1"'
    refused(mounted(script, source), "Read-only file system")


@pytest.mark.needs("user mounts")
def test_the_programs_own_folder_may_be_read_only(source: Path) -> None:
    script = 'mount --bind "$2" "$2" && mount -o remount,ro,bind "$2" && cd "$2" && $G p.cu'
    done = mounted(script, source, source.parent)
    assert (done.returncode, done.stdout, done.stderr) == (3, "7\n", "")


WORD = """template <class T> struct plain { T value; };
template <class T> struct plain<volatile T> : plain<T> { };
__global__ void count(int *out, int n) { for (int i = 0; i < n; i++) if (out[i]) ACCESS++; }
int main() { return 0; }
"""


@pytest.mark.parametrize(
    "access, marked", [("out[i]", False), ("(*(volatile int *)&out[i])", True)]
)
def test_control_flow_is_marked_only_for_a_volatile_access(
    source: Path, access: str, marked: bool
) -> None:
    source.write_text(f"// {uuid.uuid4()}\n{WORD.replace('ACCESS', access)}")
    built = programs.build([str(source)], False)
    objects = list(built.binary.parent.glob("*.o"))
    names = subprocess.run(["nm", *objects], capture_output=True, text=True, check=True).stdout
    assert ("sim_lock_step_mark" in names) == marked
