"""Faults of the machine while a command runs: an error that says so, and nothing left behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured
from grader.tests.sandbox.tier import each_tier, each_tier_that_reads

HEAD = """
import os, resource, sys
from pathlib import Path
from grader.sandbox import choice, process_tree
from grader.sandbox.launcher import launch
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
from grader.sandbox.workspace import create_outputs, read_output, workspace
number = int(sys.argv[1])
if number:
    choice.require(choice.Probed(number, 0, ""))
view = View() if number else None
def run(*argv, **limits):
    return launch(list(argv), Limits(10, **limits), Path("/tmp"), view=view)
run("true")  # with the watchdog
def left():
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [p for p in children if "watchdog" not in Path(f"/proc/{p}/cmdline").read_text()]
"""


def graders(
    code: str, tier: int, before: str = "", env: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Runs code of a grader in a process of its own. before: shell commands that come first."""
    argv = ["sh", "-c", f'{before}\nexec "$@"', "sh", sys.executable, "-c", HEAD + code, str(tier)]
    return captured.run(argv, cwd=paths.ROOT, env=os.environ | (env or {}), timeout=120)


def succeeds(code: str, tier: int, before: str = "", env: dict[str, str] | None = None) -> None:
    done = graders(code + "\nprint('as expected')", tier, before, env)
    assert done.returncode == 0 and done.stdout.endswith("as expected\n"), done.stderr[-2000:]


@each_tier
def test_failed_start_leaks_no_descriptors(number: int) -> None:
    """With every number of free descriptors from 0 on, until there are enough."""
    code = """
enough, refused = 0, 0
used = len(os.listdir("/proc/self/fd")) - 1
for free in range(0, 40):
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + free, 4096))
    try:
        enough += run("true").status == 0
    except OSError:
        refused += 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 4096))
    assert len(os.listdir("/proc/self/fd")) - 1 == used, "a descriptor leaks"
    assert not left()
assert refused >= 3 and enough >= 10, (refused, enough)
"""
    succeeds(code, number)


@each_tier
def test_the_launcher_is_out_of_memory(number: int) -> None:
    """While it reads a program's output. It is an error, and the program is dead."""
    code = """
pages = int(Path("/proc/self/statm").read_text().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (24 << 20), -1))
try:
    run("sh", "-c", "head -c 400000000 /dev/zero", output=500_000_000)
except (MemoryError, OSError):
    failed = True
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
assert failed and not left()
assert run("true").status == 0
"""
    succeeds(code, number)


@each_tier_that_reads
def test_an_odd_umask_hides_no_file_from_the_program(number: int) -> None:
    code = """
with workspace() as work:
    folder = work / "run"
    folder.mkdir()
    folder.chmod(0o700)
    (folder / "in").write_text("x")
    outputs = create_outputs(folder, ("out",))
    view = View((folder,), outputs)
    script = f"cat {folder}/in > {folder}/out"
    assert launch(["sh", "-c", script], Limits(10), Path("/tmp"), view=view).status == 0
    assert read_output(folder / "out", 10) == b"x"
"""
    succeeds(code, number, before="umask 0777")


@each_tier
@pytest.mark.parametrize("locale", ["C", "tr_TR.UTF-8", "no_SUCH.locale"])
def test_an_odd_locale_changes_nothing(number: int, locale: str) -> None:
    code = """
done = run("sh", "-c", "echo $LC_ALL; printf '\\\\377 \\\\303\\\\244'; exit 7")
assert (done.status, done.stdout) == (7, b"C.UTF-8\\n\\xff \\xc3\\xa4"), done
"""
    env = {"LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    succeeds(code, number, env=env)


@each_tier
@pytest.mark.parametrize(
    "limit", ["-n 64", "-t 100", "-f 4096", "-s 256", "-c unlimited", "-v 8000000"]
)
def test_a_users_own_limit_stays_and_refuses_nothing(number: int, limit: str) -> None:
    succeeds("assert run('true').status == 0", number, before=f"ulimit {limit} || exit 9")


@pytest.mark.needs("mounts")
@each_tier
def test_a_full_disk_is_the_machines_fault(number: int, tmp_path: Path) -> None:
    """A program that cannot write looks like one that does not; so the grader's own files, which
    come first, must say that the disk is full."""
    code = f"""
from grader import paths
paths.BUILD = Path({str(tmp_path)!r})
try:
    with workspace() as work:
        for size in range(64):
            (work / f"{{size}}.npy").write_bytes(bytes(65536))
except OSError as problem:
    assert problem.strerror == "No space left on device", problem
else:
    raise SystemExit("the disk is not full")
assert not list((paths.BUILD / "run").iterdir()), "the workspace stays"
"""
    mount = f"mount -t tmpfs -o size=256k none {tmp_path}"
    argv = ["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    python = [sys.executable, "-c", HEAD + code + "\nprint('as expected')", str(number)]
    done = captured.run([*argv, *python], cwd=paths.ROOT)
    assert done.returncode == 0 and done.stdout.endswith("as expected\n"), done.stderr[-2000:]


@pytest.mark.slow("grades under odd settings")
@pytest.mark.needs("sandbox")
def test_a_student_with_odd_settings_gets_the_same_grade(tmp_path: Path) -> None:
    settings = "umask 077; ulimit -n 200; ulimit -c unlimited; export LC_ALL=C LANG=tr_TR.UTF-8"
    answers = set()
    for before in (settings, ""):  # what the first keeps, the second reads
        file = tmp_path / "grade.json"
        command = f"{before}\n./grade lab1 --src solutions --no-speed --json {file}"
        done = captured.run(["sh", "-c", command], cwd=paths.ROOT)
        assert done.returncode == 0, done.stdout + done.stderr
        answers.add(done.stdout)
    assert len(answers) == 1
