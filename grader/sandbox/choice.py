"""Which sandbox this machine allows: each tier is tried with a harmless command, the strongest
first.

A tier is used only where that command can read what it is shown and nothing else. Where no tier
works, `missing()` says why: `./grade labN` then runs the student's own code without a sandbox, and
a bulk run refuses to grade.
"""

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from grader import paths
from grader.sandbox import bubblewrap, tiers, users
from grader.sandbox.known_answer import GpuError, known_answer
from grader.sandbox.limits import Limits, set_kernel_limits
from grader.sandbox.tiers import Tier
from grader.sandbox.view import View, interpreter

PROBE_SECONDS = 60  # a busy machine may take seconds
# The variables are described in grader/sandbox/__init__.py. Where REQUIRED is set, a probe that is
# slow for once cannot switch the sandbox off.
REQUIRED = "CONVLABS_SANDBOX_REQUIRED"
SWITCHED_OFF = "CONVLABS_NO_SANDBOX"
# $1 is shown, $2 is a program that is shown, $3 is not shown.
_HARMLESS = 'exec 3< "$1" && test -x "$2" || exit 3; ! (exec 4< "$3") 2> /dev/null || exit 4'
_UNREADABLE, _READABLE = 3, 4


@dataclass(frozen=True)
class Probed:
    """A tier whose probes have all passed: how many, and on which day (UTC)."""

    tier: int
    probes: int
    day: str


@dataclass(frozen=True)
class Choice:
    """The tier that is used; None: no tier works. refused: why not each stronger one."""

    tier: Tier | None
    refused: tuple[str, ...]


def require(probed: Probed) -> None:
    """Has this process, and all graders that it starts, use this tier and run nothing without
    it."""
    os.environ[REQUIRED] = json.dumps(asdict(probed))
    chosen.cache_clear()


def probed() -> Probed | None:
    """What require() was passed; None where nothing is required."""
    text = os.environ.get(REQUIRED)
    return Probed(**json.loads(text)) if text else None


@cache
def chosen(gpu: bool = False) -> Choice:
    """The sandbox for programs, or for those that use a GPU. Tries the tiers once a process."""
    if required := probed():
        return Choice(next(t for t in tiers.ALL if t.number == required.tier), ())
    if os.environ.get(SWITCHED_OFF):
        return Choice(None, (f"{SWITCHED_OFF} is set",))
    refused: list[str] = []
    for tier in tiers.ALL:
        why = tier.missing() or _not_working(tier) or (_no_gpu(tier) if gpu else None)
        if why is None:
            return Choice(tier, tuple(refused))
        refused.append(why)
    return Choice(None, tuple(refused))


def tier(gpu: bool = False) -> Tier | None:
    """The tier that programs run in; None: they run without a sandbox."""
    return chosen(gpu).tier


def missing(gpu: bool = False) -> str | None:
    """Why this machine has no sandbox, or None if it has one."""
    choice = chosen(gpu)
    return None if choice.tier else choice.refused[0]


def name(gpu: bool = False) -> str:
    """The kind of sandbox that programs run in; "none" without one."""
    used = tier(gpu)
    return used.name if used else "none"


def hand_over(path: Path, compiler: bool = False) -> None:
    """Lets the command inside write a file, or a folder and everything in it, by making its user
    the owner. Does not follow links. compiler: the command is a compiler."""
    if os.geteuid() != 0 or missing() is not None:
        return
    user = users.user_of(compiler)
    os.lchown(path, user, user)
    if path.is_dir():
        path.chmod(0o755)  # bubblewrap enters it before it becomes that user
    for folder, folders, files in os.walk(path):
        for entry in [*folders, *files]:
            os.lchown(os.path.join(folder, entry), user, user)


def _not_working(tier: Tier) -> str | None:
    """Why a harmless command does not run in a tier as it must; None: it does."""
    shown = paths.ROOT / "Makefile"
    argv = ["sh", "-c", _HARMLESS, "sh", str(shown), sys.executable, __file__]
    what = tier.name.partition(",")[0]
    try:
        done, status = _run(tier, argv, View(reads=(shown, *interpreter())))
    except subprocess.TimeoutExpired:
        return f"{what} did not finish a test within {PROBE_SECONDS} s"
    except OSError as problem:
        return f"{what} cannot be started: {problem.strerror or problem}"
    except subprocess.SubprocessError:  # an error in confine()
        return f"{what} cannot be started: the kernel refused a part of it"
    if status == 0:
        return None
    if status == _UNREADABLE:
        return f"not every user can read {paths.ROOT} and the Python in {sys.base_prefix}"
    if status == _READABLE:
        return f"{what} does not keep programs from the course's files"
    errors = done.stderr.decode(errors="replace").strip().splitlines()
    return f"{what} is not allowed to work here ({errors[-1] if errors else 'no reason given'})"


def _no_gpu(tier: Tier) -> str | None:
    """Why no GPU can be used in a tier: the driver may need devices that are not shown inside, that
    only root may open, or more of the system than nvidia-smi does. None: a kernel runs."""
    try:
        done, status = _run(tier, ["nvidia-smi", "-L"], View(gpu=True))
        if status != 0 or b"GPU 0" not in done.stdout:
            return "no GPU answers in the sandbox"
        program = known_answer()
        done, status = _run(tier, [str(program)], View(reads=(program,), gpu=True))
    except GpuError as problem:
        return str(problem.strerror)
    except (OSError, subprocess.SubprocessError):
        return f"the GPU did not answer within {PROBE_SECONDS} s in the sandbox"
    if status == 0:
        return None
    said = done.stderr.decode(errors="replace").strip()[:200]
    return f"CUDA does not work in the sandbox ({said or 'a wrong sum'})"


def _run(
    tier: Tier, argv: list[str], view: View
) -> tuple[subprocess.CompletedProcess[bytes], int | None]:
    """Runs a harmless command in a tier. Returns what it printed, and its exit status; None: it was
    not started."""
    limits = Limits(PROBE_SECONDS, processes=64)
    with tier.command(argv, view, Path("/tmp"), {}, limits.processes) as command:

        def confine() -> None:
            if command.confine is not None:
                command.confine()  # it needs a descriptor: the grader may have more than the limit
            set_kernel_limits(limits, True, command.processes)

        done = subprocess.run(
            command.argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=command.cwd,
            env=command.env,
            pass_fds=command.descriptors,
            preexec_fn=confine,
            timeout=PROBE_SECONDS,
            check=False,
        )
        pipe = command.status_pipe
        return done, done.returncode if pipe is None else bubblewrap.exit_status(pipe)
