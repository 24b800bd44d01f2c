"""`./grade run`: a program with its own main(), plain and profiled."""

import contextlib
import json
import os
import pty
import re
import resource
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader import paths
from grader.commands import run as run_command
from grader.model.counters import OF_LAUNCH
from grader.model.finding import Finding
from grader.sandbox.limits import ADDRESS_SPACE
from grader.schema import write
from grader.tests import captured

NSIGHT = paths.ROOT / "labs" / "studies" / "nsight"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return captured.grade("run", *arguments, timeout=120)


def profile_of(source: Path, tmp_path: Path) -> dict[str, Any]:
    done = run(source, "--json", tmp_path / "profile.json")
    assert done.returncode == 0, done.stderr
    document = dict(json.loads((tmp_path / "profile.json").read_text()))
    jsonschema.validate(document, write.schema("convlabs-profile/v1"))
    return document


@pytest.mark.slow("programs are built and run")
def test_sums_are_the_gpus() -> None:
    """Except for the one kernel that the GPU computes wrongly."""
    for name in ("kernels", "kernels2"):
        ours = run(NSIGHT / f"{name}.cu").stdout.splitlines()
        theirs = (NSIGHT / f"{name}.out").read_text().splitlines()
        wrong = [a for a, b in zip(ours, theirs, strict=True) if a != b]
        assert [line.split()[0] for line in wrong] == ["k_const_uniform"] * (name == "kernels2")


def test_lines_add_up_to_the_kernel(tmp_path: Path) -> None:
    for kernel in profile_of(NSIGHT / "kernels.cu", tmp_path)["kernels"]:
        for name, total in kernel["counters"].items():
            if name in ("constant_serialisation", *OF_LAUNCH):
                continue
            assert sum(line["counters"][name] for line in kernel["lines"]) == total
        assert all(line["file"].endswith("kernels.cu") for line in kernel["lines"])


PROGRAM = """#include <stdio.h>
#include "shared.h"
__global__ void copy(const float *from, float *to) { to[threadIdx.x] = from[threadIdx.x]; }
int main(int argc, char **argv)
{
    float *from, *to;
    if (cudaMalloc(&from, 128) || cudaMalloc(&to, 128)) return 1;
    copy<<<1, 32>>>(from, to);
    printf("%s %d\\n", argc > 1 ? argv[1] : "none", TWICE(21));
    cudaFree(from);
    cudaFree(to);
    return cudaGetLastError() == cudaSuccess ? 7 : 1;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    folder = tmp_path / "with space"
    folder.mkdir()
    (folder / "shared.h").write_text("#define TWICE(x) (2 * (x))\n")
    (folder / "a program.cu").write_text(PROGRAM)
    return folder / "a program.cu"


def test_status_output_and_arguments_are_the_programs(program: Path) -> None:
    done = run(program, "--", "--profile")
    assert (done.returncode, done.stdout) == (7, "--profile 42\n"), done.stderr


def test_closed_pipe_is_not_a_crash(tmp_path: Path) -> None:
    source = tmp_path / "lines.cu"
    source.write_text('#include <stdio.h>\nint main() { for (;;) puts("a line"); }\n')
    command = [str(paths.ROOT / "grade"), "run", str(source)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
    assert (process.returncode, errors) == (128 + signal.SIGPIPE, b"")


def test_a_program_is_built_again_when_a_header_changes(program: Path) -> None:
    assert run(program).stdout == "none 42\n"
    (program.parent / "shared.h").write_text("#define TWICE(x) (3 * (x))\n")
    assert run(program).stdout == "none 63\n"


def test_a_program_is_built_again_when_a_header_of_include_changes(tmp_path: Path) -> None:
    program, header = tmp_path / "p.cu", tmp_path / "forced.h"
    program.write_text("int main() { return VALUE; }\n")
    for text, status in ("#define VALUE 3\n", 3), ("", 1), ("#define VALUE 4\n", 4):
        header.write_text(text)
        assert run("-include", "forced.h", program).returncode == status


NVTX = """#include <nvtx3/nvToolsExt.h>
#include <nvToolsExt.h>
int main(void)
{
    nvtxEventAttributes_t event = {0};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = "part";
    nvtxRangePushEx(&event);
    nvtxRangePush("inner");
    nvtxRangeEnd(nvtxRangeStart("range"));
    nvtxRangePop();
    return nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING ? 7 : 1;
}
"""


def test_names_for_profilers_do_nothing(program: Path) -> None:
    program.write_text(NVTX)
    assert run(program).returncode == 7


def test_profile_names_the_line(program: Path) -> None:
    done = run(program, "--profile")
    assert done.returncode == 7
    assert "launch 0: copy  grid 1x1x1  block 32x1x1" in done.stderr
    assert "a program.cu:3 " in done.stderr


def test_a_users_header_may_contain_kernels(program: Path) -> None:
    header = program.parent / "shared.h"
    header.write_text(
        header.read_text() + "__global__ void of_header() { __shared__ int s; s = 1; }\n"
    )
    program.write_text(
        PROGRAM.replace("    cudaFree(from);", "    of_header<<<1, 1>>>();\n    cudaFree(from);")
    )
    done = run(program)
    assert done.returncode == 7, done.stderr


def test_errors_are_the_users_own_lines(program: Path) -> None:
    program.write_text(PROGRAM.replace("argv[1] :", "nonsense :"))
    done = run(program)
    assert done.returncode == 1
    assert f"{program}:9:" in done.stderr and "nonsense" in done.stderr
    for bad in (program.parent / "missing.cu", program.parent / "shared.h"):
        done = run(bad)
        assert done.returncode == 1 and str(bad) in done.stderr and "Traceback" not in done.stderr


CHECKED = """__device__ float largest; __device__ volatile int seen;
__device__ void atomic_max(float *at, float value)
{
    int *bits = (int *)at, old = *bits, guess;
    do {
        guess = old;
        old = atomicCAS(bits, guess, __float_as_int(fmaxf(value, __int_as_float(guess))));
    } while (old != guess);
}
__global__ void of_the_user() { atomic_max(&largest, threadIdx.x); }
__global__ void reads_too_soon(int *p)
{
    p[1 + threadIdx.x] = *p;
    atomicCAS(p + 40, 0, 1);
    atomicAdd((float *)p, 1);
}
__global__ void last_store(int *p) { *p = threadIdx.x + 5; }
struct begun {
    int *p;
    begun() { if (cudaMalloc(&p, 256) || cudaMemset(p, 0, 256)) exit(1); }
    ~begun() { if (cudaFree(p)) abort(); }
} before_main;
int main()
{
    of_the_user<<<2, 32>>>();
    reads_too_soon<<<1, 2>>>(before_main.p);
    last_store<<<1, 2>>>(before_main.p);
    return cudaGetLastError() != cudaSuccess;
}
"""


def test_checks_from_the_first_constructor_to_the_last_access(tmp_path: Path) -> None:
    """An atomic function that the user wrote, a read that no atomicCAS() confirms, a last store."""
    source = tmp_path / "program.cu"
    source.write_text(CHECKED)
    done = run(source, "--check", "--json", tmp_path / "profile.json")
    assert done.returncode == 1, "errors were found"
    findings = json.loads((tmp_path / "profile.json").read_text())["findings"]
    assert [f["kind"] for f in findings] == ["global-race"] * 2
    assert {frozenset((f["line"], f.get("other_line") or f["line"])) for f in findings} == {
        frozenset((13, 15)),
        frozenset((17,)),
    }


NOBODY_WAITS = """__global__ void total(const float *in, float *out) {
    __shared__ float tile[32];
    tile[threadIdx.x] = in[threadIdx.x];
    float sum = 0;
    for (int i = 0; i < 32; i++) sum += tile[i];
    out[threadIdx.x] = sum;
}
int main()
{
    static float *in;
    if (cudaMalloc(&in, 256) || cudaMemset(in, 0, 256)) return 2;
    total<<<1, 32>>>(in, in + 32);
}
"""


def test_a_kernel_that_nothing_waits_for_is_checked_and_a_race_is_one_finding(
    tmp_path: Path,
) -> None:
    source = tmp_path / "nobody_waits.cu"
    source.write_text(NOBODY_WAITS)
    done = run(source, "--check", "--json", tmp_path / "profile.json")
    assert done.returncode == 1, "errors were found"
    findings = json.loads((tmp_path / "profile.json").read_text())["findings"]
    assert [(f["kind"], f["count"] > 1) for f in findings if f["kind"] != "leak"] == [
        ("pending-work", False),
        ("shared-race", True),  # g++ unrolls the loop
    ]
    assert f"error: shared-race: {source}:3 and :5 (" in done.stderr
    assert "declared at line 2" in done.stderr


FRESH = """#include <stdio.h>
__global__ void add(int *p) { p[0] += p[9] + 1; }
int main()
{
    int *p, h;
    cudaMalloc(&p, 40);
    add<<<1, 1>>>(p);
    cudaMemcpy(&h, p, 4, cudaMemcpyDefault);
    printf("%d\\n", h);
    cudaFree(p);
}
"""


@pytest.mark.slow("programs are built and run")
def test_new_memory_is_what_a_device_has_and_the_checks_name_who_relies_on_it(
    tmp_path: Path,
) -> None:
    source = tmp_path / "fresh.cu"
    source.write_text(FRESH)
    plain, checked = run(source), run(source, "--check")
    assert (plain.stdout, plain.stderr) == ("1\n", "")
    assert "uninitialised-read" in checked.stderr and "fresh.cu:2" in checked.stderr


@pytest.mark.parametrize("symbol", ['"c_mask"', "&c_mask"])
def test_copy_to_a_non_symbol_names_the_line(symbol: str, tmp_path: Path) -> None:
    source = tmp_path / "quoted.cu"
    source.write_text(
        "#include <cuda_runtime.h>\n__constant__ float c_mask[9];\nint main(void) {\n"
        f"    float h_mask[9] = {{}};\n    return cudaMemcpyToSymbol({symbol}, h_mask, 36);\n}}\n"
    )
    done = run(source)
    assert done.returncode == 13, "cudaErrorInvalidSymbol"
    assert "quoted.cu:5: the symbol of this copy is not a device variable" in done.stderr


ENDLESS = """#include <stdio.h>
__global__ void spin(volatile int *p) { while (p[0] == 0) { } }
int main()
{
    int *d;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    puts("begun");
    fflush(stdout);
    spin<<<1, 1>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
}
"""


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    source = tmp_path / "endless.cu"
    source.write_text(ENDLESS)
    assert run(source, "--time-limit", "0.01").returncode == 124  # builds it
    return source


def begun(source: Path) -> subprocess.Popen[str]:
    """The command, in a session of its own, once its program runs."""
    process = subprocess.Popen(
        [paths.ROOT / "grade", "run", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    return process


def runs(session: int) -> bool:
    """Whether a process of this session is still there, and is no zombie."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == session and fields[0] != "Z":
                return True
    return False


def test_a_program_that_never_ends_is_stopped(endless: Path) -> None:
    done = run(endless, "--time-limit", "1")
    assert done.returncode == 124
    assert "did not finish within 1 s and was stopped" in done.stderr
    assert "--time-limit" in done.stderr
    assert "the time limit ended the program" in done.stderr
    assert f"grade: {endless}:2: kernel spin ran here" in done.stderr


@pytest.mark.parametrize("option", ["--profile", "--check"])
def test_a_loop_without_an_access_has_a_line(tmp_path: Path, option: str) -> None:
    """One of shuffles alone; and one that C++ lets the compiler leave out, but not nvcc."""
    loops = ("do t = __shfl_xor_sync(~0u, t, 1) | 1; while (t)", "while (t != 1) t |= 2")
    for number, loop in enumerate(loops):
        source = tmp_path / f"{number}.cu"
        source.write_text(
            "__global__ void k(unsigned t) { t += 2 * threadIdx.x + 2;\n"
            f"{loop}; }}\nint main() {{ k<<<1, 32>>>(7); return cudaDeviceSynchronize(); }}\n"
        )
        done = run(source, option, "--time-limit", "1")
        assert done.returncode == 124, done.stderr
        assert f"{source}:2: " in done.stderr and "ended the program" in done.stderr, done.stderr


def test_a_loop_of_launches_ends_with_its_limit(tmp_path: Path) -> None:
    """What was counted of a hundred thousand launches took longer to read than to run."""
    source = tmp_path / "launches.cu"
    source.write_text("__global__ void k() {}\nint main() { for (;;) {\nk<<<1, 1>>>(); } }\n")
    counted = tmp_path / "profile.json"
    done = run(source, "--check", "--json", counted, "--time-limit", "1")
    assert done.returncode == 124
    assert f"{source}:3: the launches from this one of kernel k on are not counted" in done.stderr
    assert len(json.loads(counted.read_text())["kernels"]) == 4096


def test_ctrl_c_ends_the_program_too(endless: Path) -> None:
    process = begun(endless)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and "your program was interrupted" in errors
    assert not runs(process.pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_program_dies_with_the_grader(endless: Path, number: signal.Signals) -> None:
    process = begun(endless)
    process.send_signal(number)
    process.communicate(timeout=20)
    deadline = time.monotonic() + 10
    while runs(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not runs(process.pid)


def test_a_crash_is_never_nothing_found(tmp_path: Path) -> None:
    source = tmp_path / "crash.cu"
    source.write_text("int main() { __builtin_trap(); }\n")
    done = run(source, "--check")
    assert done.returncode == 128 + signal.SIGILL
    assert "your program crashed: illegal instruction" in done.stderr
    assert "checks: nothing found before your program ended early" in done.stderr


FAULTS = """#include <stdio.h>
__global__ void store(float *p) { p[threadIdx.x] = 1; }
__attribute__((noinline)) int fill(int n)
{
    volatile char large[1 << 26];
    for (int i = 0; i < n; i++) large[i] = 1;
    return large[n - 1];
}
int main(int argc, char **argv)
{
    if (argc == 2) return fill(1 << 26);
    volatile int zero = 0;
    if (argc == 3) return 7 / zero;
    store<<<1, 32>>>(NULL);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\\n", cudaGetErrorString(error));
    return cudaGetLastError() == cudaErrorIllegalAddress ? 3 : 0;
}
"""


def test_a_fault_of_a_plain_run_names_its_line(tmp_path: Path) -> None:
    """A kernel's is the error that a device gives, which the program may handle."""
    source = tmp_path / "faults.cu"
    source.write_text(FAULTS)
    done = run(source)
    assert (done.returncode, done.stdout) == (3, "an illegal memory access was encountered\n")
    assert f"grade: {source}:2: kernel store faulted here; run it with --check" in done.stderr
    stack = run(source, "--", "1")
    assert stack.returncode == 128 + signal.SIGSEGV
    assert "host code needs more than its stack" in stack.stderr
    assert re.search(rf"grade: {source}:[3-7]: your program faulted here\n", stack.stderr)
    divided = run(source, "--", "1", "2")
    assert "host code divides an integer by zero" in divided.stderr
    assert f"grade: {source}:13: your program faulted here; run" in divided.stderr


def test_a_fault_in_code_of_the_simulator_names_the_kernel_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The kernel has written over its stack: several host threads may fault, in our own code."""
    own = Finding(
        "misaligned", "fault", kernel="k", file="labs/sim/src/exec/thread.c", line=14, pc=1
    )
    run_command._show_faults([own, own])
    assert capsys.readouterr().err == "grade: kernel k faulted; run it with --check\n"


UNDEFINED = """#include <stdio.h>
struct tree {
    int v;
    __device__ __noinline__ int size() { return this == nullptr ? 7 : v; }
};
__device__ __noinline__ int multiples(int *out)
{
    for (int i = 0; i < 10; i++) {
        out[i] = 1000000000 * i;
        if (i == 100) return 100;
    }
    return out[3];
}
__global__ void k(tree *none, int *out)
{
    out[10] = multiples(out);
    out[11] = none->size();
}
int main()
{
    int *d, h[2] = {};
    cudaMalloc(&d, 64);
    k<<<1, 1>>>(nullptr, d);
    cudaMemcpy(h, d + 10, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\\n", h[0], h[1]);
    cudaFree(d);
}
"""


def test_undefined_behaviour_is_not_exploited(tmp_path: Path) -> None:
    """An overflow ends no loop and makes none endless; a null `this` is tested."""
    source = tmp_path / "undefined.cu"
    source.write_text(UNDEFINED)
    assert run(source).stdout == "-1294967296 7\n"


OPENMP = """#include <omp.h>
#include <stdio.h>
__global__ void set(int *p, int value) { p[threadIdx.x] = value; }
int main()
{
    int total = 0;
    omp_set_num_threads(4);
#pragma omp parallel reduction(+ : total)
    {
        int h[32], *d;
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        cudaMalloc(&d, sizeof h);
        set<<<1, 32, 0, stream>>>(d, omp_get_thread_num());
        cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        for (int x : h)
            total += x;
        cudaFree(d);
        cudaStreamDestroy(stream);
    }
    printf("%d\\n", total);
}
"""


@pytest.mark.parametrize("options", [(), ("--check",)])
def test_openmp_where_omp_h_is_included(tmp_path: Path, options: tuple[str, ...]) -> None:
    source = tmp_path / "openmp.cu"
    source.write_text(OPENMP)
    done = run(source, *options)
    assert (done.returncode, done.stdout) == (0, "192\n"), done.stderr
    source.write_text('#include <stdio.h>\nint main() {\n#pragma omp parallel\nputs("once"); }')
    assert run(source, *options).stdout == "once\n"


SLOW = """#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__global__ void slow(int last, int *p, void (*leave)(int))
{
    long long start = clock64();
    while (clock64() - start < 3000000)
        ;
    if (blockIdx.x == 900)
        printf("from a kernel\\n");
    if ((int)blockIdx.x == last)
        leave(5);
    p[blockIdx.x] = 1;
}
int main(int argc, char **argv)
{
    int *p, blocks = atoi(argv[1]);
    cudaMalloc(&p, 8192 * sizeof *p);
    printf("wait: ");
    fflush(stdout);
    slow<<<blocks, 1>>>(argc > 2 ? atoi(argv[2]) : -1, p, _exit);
    cudaDeviceSynchronize();
    printf("done\\n");
    cudaFree(p);
}
"""
PROGRESS = re.compile(
    r"\x1b7\x1b\[K\x1b\[\?7lkernel slow: block ([\d,]+) of ([\d,]+), (\d+) s\x1b\[\?7h\x1b8"
)


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("progress") / "slow.cu"
    source.write_text(SLOW)
    assert run(source, "--", "1").stdout == "wait: done\n"
    return source


def on_terminal(*arguments: str | Path, interrupt: bool = False) -> tuple[int, str, float]:
    """The command's status, all that it writes to its terminal, and the seconds that it takes to
    end after Ctrl-C. interrupt: presses that once the terminal shows how far the kernel is."""
    child, terminal = pty.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ |= {"TERM": "xterm", "CONVLABS_SIM_THREADS": "1"}
        os.execv(paths.ROOT / "grade", ["grade", "run", *map(str, arguments)])
    shown, pressed = b"", 0.0
    with contextlib.suppress(OSError):  # what a terminal without a program gives
        while got := os.read(terminal, 4096):
            shown += got
            if interrupt and not pressed and b"kernel slow" in shown:
                pressed = time.monotonic()
                os.write(terminal, b"\x03")
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, shown.decode().replace("\r\n", "\n"), time.monotonic() - pressed


def left(shown: str) -> str:
    """What stays on the terminal, without the lines that are erased. Fails where text follows a
    line that is still there."""
    first, *others = re.split(r"(?<=\x1b8)", shown)
    assert all(text.startswith(("\x1b7", "\x1b[K", "^C")) for text in others)
    return "".join(PROGRESS.sub("", text) for text in [first, *others]).replace("\x1b[K", "")


@pytest.mark.needs("terminal")
@pytest.mark.slow("a kernel has to run for more than two seconds")
def test_a_terminal_shows_how_far_a_long_kernel_is(slow: Path) -> None:
    status, shown, _ = on_terminal(slow, "--", "2000")
    blocks = [int(line[1].replace(",", "")) for line in PROGRESS.finditer(shown)]
    assert (status, left(shown)) == (0, "wait: from a kernel\ndone\n")
    assert len(blocks) >= 2 and blocks == sorted(blocks) and 0 < blocks[0] <= blocks[-1] <= 2000
    assert all(line[2] == "2,000" and int(line[3]) >= 2 for line in PROGRESS.finditer(shown))


@pytest.mark.needs("terminal")
@pytest.mark.slow("a kernel has to run for more than two seconds")
@pytest.mark.parametrize("option", ["--check", "--profile"])
def test_a_traced_program_shows_it_too(slow: Path, option: str) -> None:
    status, shown, _ = on_terminal(slow, option, "--", "2000")
    assert status == 0 and len(PROGRESS.findall(shown)) >= 2
    assert left(shown).startswith("wait: from a kernel\ndone\n")


@pytest.mark.needs("terminal")
def test_a_short_program_and_a_pipe_get_nothing(slow: Path) -> None:
    assert on_terminal(slow, "--", "10")[:2] == (0, "wait: done\n")
    assert run(slow, "--", "10").stderr == ""


@pytest.mark.needs("terminal")
@pytest.mark.slow("a kernel has to run for more than two seconds")
def test_the_line_does_not_stay_where_a_kernel_ends_the_program(slow: Path) -> None:
    status, shown, _ = on_terminal(slow, "--", "3000", "1800")
    assert status == 5 and PROGRESS.search(shown)
    assert left(shown) == "wait: from a kernel\n"


@pytest.mark.needs("terminal")
@pytest.mark.slow("a kernel has to run for more than two seconds")
@pytest.mark.parametrize("options", [(), ("--check",)])
def test_ctrl_c_on_the_terminal_ends_the_program_at_once(
    slow: Path, options: tuple[str, ...]
) -> None:
    status, shown, seconds = on_terminal(slow, *options, "--", "8000", interrupt=True)
    assert status == 130 and "grade: your program was interrupted\n" in left(shown)
    assert seconds < 2


TASKS = """#include <filesystem>
#include <iterator>
#include <stdio.h>
__global__ void set(int *p) { p[blockIdx.x] = 1; }
int main()
{
    int *p;
    cudaMalloc(&p, 4096 * sizeof *p);
    set<<<4096, 1>>>(p);
    cudaFree(p);
    std::filesystem::directory_iterator tasks("/proc/self/task");
    printf("%td\\n", std::distance(begin(tasks), end(tasks)));
}
"""


@pytest.mark.slow("programs are built and run")
def test_a_plain_program_uses_all_cores_and_a_traced_one_uses_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "tasks.cu"
    source.write_text(TASKS)
    plain, checked = int(run(source).stdout), int(run(source, "--check").stdout)
    monkeypatch.setenv("CONVLABS_SIM_THREADS", "1")
    alone = int(run(source).stdout)
    assert plain - alone == min(len(os.sched_getaffinity(0)), 23) - 1
    assert checked == alone


FULL_BLOCKS = """#include <stdio.h>
__global__ void reverse(int *out) {
    __shared__ int tile[1024];
    for (int i = 0; i < 100; i++) {
        tile[threadIdx.x] = i + threadIdx.x;
        __syncthreads();
        out[blockIdx.x * 1024 + threadIdx.x] = tile[1023 - threadIdx.x];
        __syncthreads();
    }
}
int main() {
    int *out, last;
    cudaMalloc(&out, 256 * 1024 * sizeof(int));
    reverse<<<256, 1024>>>(out);
    cudaMemcpy(&last, out + 256 * 1024 - 1, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%s %d\\n", cudaGetErrorName(cudaGetLastError()), last);
    cudaFree(out);
}
"""


@pytest.mark.slow("a program is built and run")
@pytest.mark.parametrize("space", [ADDRESS_SPACE, 8 << 30, resource.RLIM_INFINITY])
def test_many_cores_share_the_address_space(tmp_path: Path, space: int) -> None:
    """A large machine has more cores than blocks of 1024 stacks fit into a grade's limit."""
    source, program = tmp_path / "full.cu", tmp_path / "full"
    source.write_text(FULL_BLOCKS)
    run(source, "-o", program)
    done = subprocess.run(
        [program],
        env=os.environ | {"CONVLABS_SIM_THREADS": "64"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space)),
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("cudaSuccess 99\n", "")


STENCIL = """#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
__global__ void blur(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[y * w + x] += in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] +
                          in[(y - 1) * w + x] + in[(y + 1) * w + x];
}
int main() {
    const int w = 2048, h = 1024;
    const size_t bytes = sizeof(float) * w * h;
    float *host = (float *)calloc(w * h, sizeof(float)), *in, *out;
    cudaMalloc(&in, bytes), cudaMalloc(&out, bytes);
    cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice), cudaMemset(out, 0, bytes);
    blur<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(in, out, w, h);
    cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("%ld", used.ru_maxrss);
    cudaFree(in), cudaFree(out), free(host);
}
"""


def test_checks_use_at_most_three_times_the_memory(tmp_path: Path) -> None:
    source = tmp_path / "blur.cu"
    source.write_text(STENCIL)
    assert int(run(source, "--check").stdout) < 3 * int(run(source).stdout)
