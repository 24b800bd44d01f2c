"""Files that do everything wrong: a clear line for each, the other checks still run."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from grader import paths
from grader.tests import captured
from grader.tests.known_submissions.test_known import grade

SIGNATURE = (
    "(const float *image, int width, int height, const float *mask, int radius, "
    "enum border border, float *out)"
)
UNUSED = (
    "(void)image; (void)width; (void)height; (void)mask; (void)radius; (void)border; (void)out;"
)


def cpu_loop(folder: Path, body: str, before: str = "") -> Path:
    """A lab 1 submission whose part A has this body."""
    folder.mkdir(parents=True, exist_ok=True)
    text = f'#include "lab.h"\n{before}\n'
    text += f"void correlate_loops{SIGNATURE} {{ {UNUSED}\n{body}\n}}\n"
    for name in ("correlate_rows", "correlate_openmp"):
        text += f"void {name}{SIGNATURE} {{ {UNUSED} }}\n"
    (folder / "cpu_loop.c").write_text(text)
    return folder


def fails(folder: Path, *options: str) -> list[dict[str, Any]]:
    """Grades some of part A of lab 1, which must all fail as the student's fault."""
    code, document = grade("lab1", "--src", str(folder), "-k", "A Ando", *options)
    assert code == 1, document
    failed = [c for c in document["checks"] if c["verdict"] == "fail"]
    assert len(failed) == len([c for c in document["checks"] if c["kind"] == "correct"])
    return failed


RUNS = {
    "crash": ("*(volatile int *)8 = 1;", "", "a NULL pointer is used"),
    "integer division by 0": (
        "volatile int z = width - width; out[0] = (float)(height / z);",
        "",
        "an integer is divided by 0",
    ),
    "abort": ("abort();", "#include <stdlib.h>", "abort()"),
    "early exit": ("exit(0);", "#include <stdlib.h>", "before your function returned"),
    "nan": (
        "for (int i = 0; i < width * height; i++) out[i] = 0.0f / (float)(width - width);",
        "",
        "NaN",
    ),
    "nothing written": ("", "", "no pixel of the output was written"),
    "writes before the output": ("out[-1] = 1;", "", "memory just before the output"),
    "writes after the output": ("out[width * height] = 1;", "", "memory just after the output"),
    "endless recursion": (
        "volatile char page[1 << 16]; page[0] = 1; "
        "correlate_loops(image, width, height, mask, radius, border, out); "
        "out[0] = page[0];",
        "",
        "endless recursion",
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_misbehaving_program_gets_a_message(name: str, tmp_path: Path) -> None:
    body, before, message = RUNS[name]
    for check in fails(cpu_loop(tmp_path, body, before)):
        assert message in " ".join(check["message"]), check["message"]


def test_program_that_prints_a_gigabyte_is_stopped(tmp_path: Path) -> None:
    body = "char line[4096]; memset(line, 'x', 4095); line[4095] = 0; "
    body += "for (int i = 0; i < 1 << 18; i++) puts(line);"
    start = time.monotonic()
    failed = fails(cpu_loop(tmp_path, body, "#include <stdio.h>\n#include <string.h>"))
    assert all("printed more than 1 MB" in c["message"][0] for c in failed)
    assert time.monotonic() - start < 60  # writing it all takes longer


def test_hangs_on_one_case(tmp_path: Path) -> None:
    folder = cpu_loop(tmp_path, "for (volatile int i = 0;; i++) { }")
    code, document = grade("lab1", "--src", str(folder), "-k", "A 13x13 on 1x1")
    assert code == 1
    failed = [c for c in document["checks"] if c["verdict"] == "fail"]
    assert failed and all("of processor time" in c["message"][0] for c in failed)


def compile_check(folder: Path, lab: str = "lab1") -> dict[str, Any]:
    code, document = grade(lab, "--src", str(folder))
    assert code == 1
    first, *others = document["checks"]
    assert first["name"] == "compiles" and first["verdict"] == "fail"
    assert others and all(c["verdict"] == "skip" and c["needs"] == "compiles" for c in others)
    return dict(first)


def test_does_not_compile_names_the_students_own_line(tmp_path: Path) -> None:
    folder = cpu_loop(tmp_path, "int x = 1\n;\n x = nonsense;\n int y = more_nonsense;")
    message = compile_check(folder)["message"]
    assert "cpu_loop.c:6: " in message[0] and "nonsense" in message[0]
    assert message[1].strip() == "x = nonsense;"


@pytest.mark.parametrize("content", ["", "  \n\n"], ids=["empty", "blank"])
def test_empty_file_gets_no_points(content: str, tmp_path: Path) -> None:
    (tmp_path / "cpu_loop.c").write_text(content)
    assert "is empty" in compile_check(tmp_path)["message"][0]


def test_missing_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "lab1_cpu_loop").mkdir()
    assert "is missing" in compile_check(tmp_path)["message"][0]


def test_link_fifo_and_folder_in_place_of_the_file(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("link", "fifo", "folder")]
    for folder in folders:
        folder.mkdir()
    (folders[0] / "cpu_loop.c").symlink_to("/etc/passwd")
    os.mkfifo(folders[1] / "cpu_loop.c")
    (folders[2] / "cpu_loop.c").mkdir()
    for folder in folders:
        message = compile_check(folder)["message"][0]
        assert "link" in message or "not a file" in message or "cannot be read" in message


def test_binary_rubbish_and_a_huge_file(tmp_path: Path) -> None:
    (tmp_path / "cpu_loop.c").write_bytes(bytes(range(256)) * 40)
    compile_check(tmp_path)
    (tmp_path / "cpu_loop.c").write_bytes(b"//" + b"x" * (2 << 20))
    assert "limit" in compile_check(tmp_path)["message"][0]


def test_function_missing_or_main_defined(tmp_path: Path) -> None:
    (tmp_path / "cpu_loop.c").write_text("int nothing;\n")
    assert "does not define correlate_loops()" in compile_check(tmp_path)["message"][0]
    cpu_loop(tmp_path, "", "int main(void) { return 0; }")
    assert "defines main" in compile_check(tmp_path)["message"][0]


@pytest.mark.slow("a grade for each odd folder")
def test_odd_folder_names_are_graded(tmp_path: Path) -> None:
    for name in ("with space", "ü$(touch x)'q", 'quote"back\\slash', "-k", "new\nline", "a:b#c%d"):
        folder = cpu_loop(tmp_path / name, "")
        failed = fails(folder)
        assert "no pixel" in failed[0]["message"][0]
    assert not (paths.ROOT / "x").exists()


def test_a_file_saved_on_windows(tmp_path: Path) -> None:
    file = cpu_loop(tmp_path, "") / "cpu_loop.c"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert "no pixel" in fails(tmp_path)[0]["message"][0]


def test_missing_folder_is_a_usage_error(tmp_path: Path) -> None:
    for src in (tmp_path / "nowhere", tmp_path):
        done = captured.grade("lab1", "--src", src)
        assert done.returncode == 2 and "Traceback" not in done.stderr
        assert str(src) in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["lab99"],
        ["lab1", "--backend", "gpu"],
        ["lab1", "-k", "no such check"],
        ["lab1", "--bogus"],
        ["hint", "lab1", "Z"],
        ["lab1", "--json", "/no/such/folder/file"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_are_usage_errors(arguments: list[str]) -> None:
    done = captured.grade(*arguments)
    assert done.returncode == 2 and done.stderr and "Traceback" not in done.stderr


def test_cuda_file_that_does_not_compile(tmp_path: Path) -> None:
    (tmp_path / "constant_mask.cu").write_text(
        '#include "lab.h"\n#include <cuda_runtime.h>\n__global__ void k(float *p)\n{\n'
        "    p[0] = undeclared;\n}\nvoid f(float *p)\n{\n    k<<<1, 1>>>(p, 3);\n}\n"
    )
    message = compile_check(tmp_path, "lab3")["message"]
    assert "constant_mask.cu:5: " in message[0] and "undeclared" in message[0]
    assert any("constant_mask.cu:9: " in line for line in message)


CONSTANT_MASK = """#include "lab.h"
__global__ void far_away(float *out)
{
    out[1000000000 + threadIdx.x] = 1;
}
__global__ void nothing(void) {}
cudaError_t set_mask(const float *, int) { return cudaSuccess; }
cudaError_t set_bank(const float *, int) { return cudaSuccess; }
cudaError_t correlate_constant(const float *, int, int, int, enum border, float *d_out)
{
    far_away<<<1, 32>>>(d_out);
    return cudaGetLastError();
}
cudaError_t correlate_polyphase(const float *, int, int, int, enum border, float *)
{
    nothing<<<1, dim3(33, 33)>>>();
    return cudaSuccess;
}
"""


def test_kernel_that_crashes_and_launch_that_fails_name_the_line(tmp_path: Path) -> None:
    (tmp_path / "constant_mask.cu").write_text(CONSTANT_MASK)
    code, document = grade("lab3", "--src", str(tmp_path), "-k", "on 97x61")
    assert code == 1
    said = {c["part"]: " ".join(c["message"]) for c in document["checks"] if c["kind"] == "correct"}
    assert "constant_mask.cu:4: " in said["A"] and "kernel far_away" in said["A"]
    assert "constant_mask.cu:16: " in said["B"] and "cudaErrorInvalidConfiguration" in said["B"]
    assert "1089 threads" in said["B"]


def processes_named(text: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if text.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


@pytest.mark.parametrize(
    "number, after",
    [(signal.SIGINT, 0), (signal.SIGKILL, 0), (signal.SIGKILL, 0.004), (signal.SIGKILL, 0.1)],
    ids=["Ctrl-C", "kill -9", "kill -9 a little later", "kill -9 in the midst"],
)
def test_interrupted_grading_leaves_nothing(
    number: signal.Signals, after: float, tmp_path: Path
) -> None:
    folder = cpu_loop(tmp_path, "for (volatile int i = 0;; i++) { }")
    process = subprocess.Popen(
        [paths.ROOT / "grade", "lab1", "--src", folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while "compiles" not in (line := process.stdout.readline()):
        assert line, "the grader ended before it was interrupted"
    mine = f"{paths.BUILD}/run/{process.pid}-"
    deadline = time.monotonic() + 30
    while not processes_named(mine) and time.monotonic() < deadline:
        time.sleep(0.001)
    assert processes_named(mine)
    time.sleep(after)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    deadline = time.monotonic() + 10
    while processes_named(mine) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes_named(mine)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert errors == "grade: interrupted; nothing is left behind\n"
        assert not list((paths.BUILD / "run").glob(f"{process.pid}-*"))


@pytest.mark.parametrize("module", [False, True])
def test_ctrl_c_before_anything_can_say_so(module: bool) -> None:
    """It waits until the interpreter and its packages are there."""

    def press() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os.kill(os.getpid(), signal.SIGINT)

    argv = [sys.executable, "-m", "grader"] if module else [paths.ROOT / "grade"]
    done = subprocess.run(
        [*argv, "list"], capture_output=True, text=True, cwd=paths.ROOT, check=False,
        preexec_fn=press,  # no other thread runs
    )  # fmt: skip
    said = "grade: interrupted; nothing is left behind\n" if module else ""
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)


def test_strict_umask_does_not_hide_files_from_the_program(tmp_path: Path) -> None:
    """Behind walls it is another user, who has to read what the grader wrote for it."""
    shutil.copy(paths.SOLUTIONS / "lab1_cpu_loop" / "cpu_loop.c", tmp_path)
    before = os.umask(0o077)
    try:
        code, document = grade("lab1", "--src", str(tmp_path), "-k", "A Ando", "--no-speed")
    finally:
        os.umask(before)
    assert code == 0, document["checks"]
