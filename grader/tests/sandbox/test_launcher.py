"""Whatever a command does, it ends within its limits and leaves no process behind."""

import os
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from grader.sandbox.ending import Finished, early_end
from grader.sandbox.launcher import Running, launch, start, tool_output
from grader.sandbox.limits import Limits, cores


def python(code: str, tmp_path: Path, limits: Limits | None = None) -> Finished:
    return launch([sys.executable, "-c", code], limits or Limits(seconds=5), tmp_path)


def ended(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def test_status_and_both_outputs_come_back(tmp_path: Path) -> None:
    done = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)", tmp_path)
    assert (done.status, done.signal) == (7, None)
    assert (done.stdout, done.stderr) == (b"out\n", b"err\n")


def test_launcher_reports_the_signal(tmp_path: Path) -> None:
    done = python("import os; os.kill(os.getpid(), 11)", tmp_path)
    assert (done.status, done.signal) == (None, 11)


SPIN = "while True: pass"
FORKED = "import os\nfor _ in range(5): os.fork()\n"  # 32 processes
ENDLESS_CHAIN = """import os, time
while True:  # each process burns a tenth of a second, and its parent waits for it
    if (child := os.fork()) == 0:
        while time.process_time() < 0.1: pass
        os._exit(0)
    os.waitpid(child, 0)
"""
THREADS = "import hashlib, threading\n" + (
    "def burn():\n    while True: hashlib.sha256(bytes(1 << 20))\n"
    "for _ in range(8): threading.Thread(target=burn).start()\n"
)


@pytest.mark.parametrize(
    "code",
    [SPIN, FORKED + SPIN, ENDLESS_CHAIN, THREADS, f"import os; os.fork() or os.setsid()\n{SPIN}"],
    ids=["spins", "fork bomb", "a chain of processes", "threads", "detached"],
)
def test_the_limit_on_processor_time_holds(code: str, tmp_path: Path) -> None:
    """Whoever of its processes and threads uses it."""
    done = python(code, tmp_path, Limits(seconds=0.5))
    assert done.stopped_by in ("processor", "processors")
    end = early_end(done)
    assert end and end.kind == "timeout" and "used 0.5 s of processor time" in end.reason
    assert 0.4 <= done.processor <= 0.5 * cores() + 5  # the machine may be busy


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(60)",
        "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        "import os, time; os.close(1); os.close(2); time.sleep(60)",
        "import time\nwhile True: time.sleep(0.01)",
        "import threading\nlock = threading.Lock(); lock.acquire(); lock.acquire()",
        "import os\nreading, writing = os.pipe()\nif os.fork(): os.wait()\nos.read(reading, 1)",
    ],
    ids=[
        "sleeps",
        "ignores SIGTERM",
        "stops itself",
        "closes its outputs",
        "naps",
        "waits for a lock",
        "waits for a process",
    ],
)
def test_a_command_that_only_waits_is_stopped(code: str, tmp_path: Path) -> None:
    begin = time.monotonic()
    done = python(code, tmp_path, Limits(seconds=20, waiting=0.5))
    end = early_end(done)
    assert done.stopped_by == "waiting" and end and end.kind == "waiting"
    assert "waited for more than 0.5 s without doing any work" in end.reason
    assert time.monotonic() - begin < 50  # not 60; the machine may be busy


# A busy machine, simulated: STOPPED says for how long the kernel does not let the program run. The
# process that stops it belongs to it, but only sleeps.
BUSY_MACHINE = """import os, signal, time
program = os.getpid()
if os.fork() == 0:
    for _ in range(STOPPED):
        os.kill(program, signal.SIGSTOP); time.sleep(0.5)
        os.kill(program, signal.SIGCONT); time.sleep(0.02)
    os._exit(0)
while time.process_time() < 0.2: pass
"""


def test_busy_machine_does_not_stop_accepted_programs(tmp_path: Path) -> None:
    """It takes many times its limit on the wall clock."""
    code = BUSY_MACHINE.replace("STOPPED", "8") + "os.wait(); print('done')"
    done = python(code, tmp_path, Limits(seconds=1))
    assert (done.status, done.stopped_by, done.stdout) == (0, None, b"done\n")
    assert done.seconds > 4


def test_a_busy_machine_saves_no_endless_program(tmp_path: Path) -> None:
    code = BUSY_MACHINE.replace("STOPPED", "4") + "while True: pass"
    done = python(code, tmp_path, Limits(seconds=0.5))
    assert done.stopped_by in ("processor", "processors")


def test_processor_time_is_that_of_all_processes(tmp_path: Path) -> None:
    """Of those that have ended, too, and of one whose name looks like the fields after it."""
    code = (
        "import os, time\n"
        "open('/proc/self/comm', 'w').write('a) R 1 (b')\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        while time.process_time() < 0.2: pass\n"
        "        os._exit(0)\n"
        "    os.wait()\n"
        "time.sleep(0.3)\n"
    )
    done = python(code, tmp_path, Limits(seconds=20))
    assert done.status == 0 and 0.55 < done.processor < 2


def test_endless_output_is_cut_and_stopped(tmp_path: Path) -> None:
    done = python("while True: print('x' * 1000)", tmp_path, Limits(seconds=10, output=100_000))
    assert done.stopped_by == "output"
    assert len(done.stdout) == 100_000


def test_detached_processes_die_too(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        open('pid', 'w').write(str(os.getpid())); time.sleep(60)\n"
        "    os._exit(0)\n"
        "while not os.path.exists('pid') or not open('pid').read(): time.sleep(0.01)\n"
    )
    done = python(code, tmp_path)
    assert done.status == 0
    assert ended(int((tmp_path / "pid").read_text()))


def test_memory_limit_is_enforced(tmp_path: Path) -> None:
    limits = Limits(seconds=20, address_space=512 << 20)
    done = python("bytearray(1 << 30)", tmp_path, limits)
    assert done.status == 1 and b"MemoryError" in done.stderr


def test_file_size_limit_holds(tmp_path: Path) -> None:
    done = python("open('big', 'wb').write(bytes(10_000))", tmp_path, Limits(5, file_size=1000))
    assert done.status != 0
    assert (tmp_path / "big").stat().st_size <= 1000


def test_program_gets_a_minimal_environment(tmp_path: Path) -> None:
    os.environ["CONVLABS_TEST_SECRET"] = "x"
    try:
        done = python("import os; print(sorted(os.environ))", tmp_path)
    finally:
        del os.environ["CONVLABS_TEST_SECRET"]
    assert b"SECRET" not in done.stdout


def test_missing_command_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        launch(["/no/such/command"], Limits(1), tmp_path)


def endless(tmp_path: Path, seconds: float) -> AbstractContextManager[Running]:
    return start([sys.executable, "-c", "while True: pass"], Limits(seconds), tmp_path)


def test_a_tool_without_a_file_runs_in_the_sandbox() -> None:
    assert tool_output(["c++filt", "_Z1fi"], None) == "f(int)\n"
    assert tool_output(["no-such-tool"], None) == ""


def test_two_commands_run_at_the_same_time(tmp_path: Path) -> None:
    code = "import time; time.sleep(0.3); print('x' * 200_000)"  # more than a pipe holds
    with start([sys.executable, "-c", code], Limits(20), tmp_path) as other:
        assert python("print('mine')", tmp_path).stdout == b"mine\n"
        done = other.wait()
    assert done.status == 0 and len(done.stdout) == 200_001


def test_limits_hold_while_another_is_waited_for(tmp_path: Path) -> None:
    with endless(tmp_path, 0.3) as other:
        there = f"os.path.exists('/proc/{other.process.pid}')"
        python(f"import os, time\nwhile {there}: time.sleep(0.01)", tmp_path, Limits(20))
        assert ended(other.process.pid)
        assert other.wait().stopped_by == "processor"


def test_a_command_that_is_not_waited_for_is_killed(tmp_path: Path) -> None:
    with endless(tmp_path, 60) as other:
        pass
    assert ended(other.process.pid)


def test_any_user_can_read_what_a_command_writes(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        python("open('made', 'w')", tmp_path)
    finally:
        os.umask(before)
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o644


def test_memory_of_a_whole_tree_is_limited(tmp_path: Path) -> None:
    hog = "python3 -c 'b = bytearray(60000000); import time; time.sleep(20)'"
    done = launch(["sh", "-c", f"{hog} & {hog} & wait"], Limits(20, memory=100 << 20), tmp_path)
    assert done.stopped_by == "memory" and done.seconds < 15
