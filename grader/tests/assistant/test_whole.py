"""`./grade mcp` in a student's copy: from a grade to the log; two clients at once, a killed one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader import paths
from grader.model import spec
from grader.release import archive, contents
from grader.tests import captured
from grader.tests.assistant.client import Client
from grader.tests.attacks import assistant as attempts

LAB = spec.load("lab1")
CHECK = "identity 3x3 on a ramp 64x48"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unpacked archive of lab 1."""
    work = tmp_path_factory.mktemp("student")
    members = contents.members(paths.ROOT, contents.tracked(paths.ROOT), contents.lists(), [LAB.id])
    packed = work / "archive.tar.gz"
    packed.write_bytes(archive.pack(members, "copy", 0))
    folder = archive.unpack(packed, work / "unpacked")
    (folder / "build").mkdir()
    (folder / "build" / "venv").symlink_to(paths.BUILD / "venv")
    return folder


def environment(copy: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(copy)}  # build/venv has the path of another copy


@contextmanager
def connected(copy: Path) -> Iterator[tuple[Client, subprocess.Popen[bytes]]]:
    argv = [sys.executable, "-m", "grader", "mcp"]
    with subprocess.Popen(
        argv, cwd=copy, env=environment(copy), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        client = Client(os.dup(process.stdout.fileno()), process.stdin.fileno())
        client.ask("initialize", protocolVersion="2025-11-25", capabilities={})
        yield client, process
        process.stdin.close()
        assert process.wait(20) in (0, -signal.SIGKILL)
        client.answers.close()


@pytest.mark.slow("grades in a student's copy")
def test_session_of_a_student(copy: Path) -> None:
    file = copy / "starter" / LAB.folder / LAB.submit[0]
    starter = file.read_text()
    with connected(copy) as (client, _):
        assert not client.call("finding", lab="lab1", check=CHECK)[0], "nothing is graded yet"
        answered, text = client.call("grade", lab="lab1", part="A")
        assert answered and f"fail: A  {CHECK}" in text, text
        assert (
            "begin with the TODO at starter/" in client.call("finding", lab="lab1", check=CHECK)[1]
        )
        assert "hint 1 of" in client.call("hint", lab="lab1", part="A")[1]
        file.write_text((paths.SOLUTIONS / LAB.folder / LAB.submit[0]).read_text())
        assert "has changed" in client.call("finding", lab="lab1", check=CHECK)[1]
        answered, text = client.call("grade", lab="lab1", part="A")
        assert answered and "fail" not in text, text
        assert "hint 2 of" in client.call("hint", lab="lab1", part="A")[1]
        assert not client.call("grade", lab="lab2")[0], "the copy has no other lab"
        file.write_text(starter)
    log = captured.run(
        [sys.executable, "-m", "grader", "log", "lab1"], cwd=copy, env=environment(copy)
    )
    assert log.returncode == 0 and "tampered" not in log.stdout, log.stdout
    for said in ("an assistant asked for this grade", "hint A 2", f"finding {CHECK}"):
        assert said in log.stdout, log.stdout


@pytest.mark.slow("grades in a student's copy")
def test_two_clients_at_once(copy: Path) -> None:
    with connected(copy) as (one, _), connected(copy) as (other, _):
        clients = (one, other)
        for client in clients:
            client.begin("tools/call", name="grade", arguments={"lab": "lab1", "part": "B"})
        for client in clients:
            result = client.read()["result"]
            assert not result["isError"] and "checks: " in result["content"][0]["text"]
    log = captured.run(
        [sys.executable, "-m", "grader", "log", "lab1"], cwd=copy, env=environment(copy)
    )
    assert log.returncode == 0 and "tampered" not in log.stdout, log.stdout


def running_in(copy: Path) -> list[str]:
    """The processes whose folder is the copy, or below it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(process / "cwd")).is_relative_to(copy):
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it has ended, or it is another user's
            continue
    return found


@pytest.mark.slow("grades in a student's copy")
@pytest.mark.parametrize("killed", [True, False], ids=["server killed", "client gone"])
def test_nothing_is_left_of_a_call_under_way(copy: Path, killed: bool) -> None:
    with connected(copy) as (client, process):
        client.begin("tools/call", name="grade", arguments={"lab": "lab1"})
        while len(running_in(copy)) < 2:
            time.sleep(0.01)
        time.sleep(0.5)  # somewhere in the grading
        if killed:
            process.kill()
    ends = time.monotonic() + 10
    while (left := running_in(copy)) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not left


@pytest.mark.slow("asks two programs")
def test_question_is_about_the_own_program() -> None:
    """In this process: the copy's sandbox does not see the Python packages behind a link."""
    with attempts.world() as world:
        world.conversation.questions.clear()
        assert "does not work yet" in world.call("ask", part="A")
        world.file.write_bytes((paths.SOLUTIONS / LAB.folder / LAB.submit[0]).read_bytes())
        assert "for the student to answer" in world.call("ask", part="A")
        (waiting,) = world.conversation.questions.values()
        assert waiting.asked.key.why not in world.text()
        assert "right" in world.call("ask", part="A", answer=waiting.asked.key.answer)
