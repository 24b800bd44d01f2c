"""Low priority applies between sessions, and a program cannot end its sandbox."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.sandbox import choice
from grader.sandbox.launcher import launch
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
from grader.tests import captured

AUTOGROUP = Path("/proc/self/autogroup")
# What a child of the grader does; then it starts two commands that say where they are.
CHILD = """
import os, sys, time
from pathlib import Path
from grader.sandbox import priority
from grader.sandbox.launcher import launch
from grader.sandbox.limits import Limits
if os.fork() == 0:
    priority.let_others_first(5)
    priority.let_others_first(2)
    time.sleep(0.3)  # no other test may be writing
    show = "import os; print(os.getsid(0), os.getpgid(0) == os.getpid(), os.nice(0))"
    for _ in range(2):
        done = launch([sys.executable, "-c", show], Limits(seconds=20), Path.cwd())
    autogroup = Path("/proc/self/autogroup")
    shown = autogroup.read_text().split()[-1] if autogroup.exists() else "7"
    print(os.getpid(), shown, done.stdout.decode())
    sys.stdout.flush()
    os._exit(0)
os.wait()
"""


def test_the_commands_of_a_child_are_in_its_session_and_it_lets_others_first() -> None:
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    leader, autogroup, session, leads_group, nice = done.stdout.split()
    assert (session, leads_group, int(nice)) == (leader, "True", os.nice(0) + 7)
    if os.geteuid() == 0 or not AUTOGROUP.exists():  # others are refused at busy times
        assert int(autogroup) == os.nice(0) + 7


# What the programs of a child do, which share its session; and of a grader, which do not.
WITHOUT_SANDBOX = """
import os, sys
from pathlib import Path
from grader.sandbox import priority
from grader.sandbox.launcher import launch
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
if sys.argv[1] == "child":
    priority.let_others_first(1)
done = launch(["python3", "-c", sys.argv[2]], Limits(seconds=20), Path("/"), view=View())
print(done.status, done.signal)
"""


@pytest.mark.parametrize("who", ["grader", "child"])
@pytest.mark.parametrize(
    ("how", "ending"),
    [
        ("os.kill(0, 9)", "None 9"),
        ("os.kill(0, 15)", "None 15"),
        ("os.killpg(os.getpgrp(), 9)", "None 9"),
        ("signal.signal(15, signal.SIG_IGN); os.kill(0, 15)", "0 None"),
        ("os.fork() or (os.setpgid(0, 0), os.kill(0, 9))", "0 None"),
        ("os.fork() or os._exit(0); os.wait(); os.kill(0, 0)", "0 None"),
    ],
)
def test_without_a_sandbox_a_program_cannot_kill_the_grader(
    who: str, how: str, ending: str
) -> None:
    argv = [sys.executable, "-c", WITHOUT_SANDBOX, who, f"import os, signal; {how}"]
    environment = os.environ | {choice.SWITCHED_OFF: "1"}
    done = captured.run(argv, env=environment, start_new_session=True)
    assert (done.returncode, done.stdout.strip()) == (0, ending), done.stderr


@pytest.mark.needs("sandbox")
@pytest.mark.parametrize("how", ["os.kill(0, 9)", "os.killpg(os.getpgrp() or 0, 9)"])
def test_a_program_cannot_kill_the_group_of_its_sandbox(how: str) -> None:
    """Its sandbox is in the group: the program's end would be taken for a fault of the machine."""
    code = f"import os, sys\ntry: {how}\nexcept OSError: sys.exit(3)\n"
    done = launch(["/usr/bin/python3", "-c", code], Limits(seconds=20), Path("/"), view=View())
    assert done.status == 3
