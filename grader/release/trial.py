"""Uses the archive as a student does: unpacked into a new folder, in a bare environment.

The commands get PATH and HOME, and the variables that pip needs behind a proxy. The README's two
commands must work, every starter must earn 0 points and every solution all public points; no other
file of the archive may earn anything in any part, pasted in as an answer. With objects of the
solutions, code in C is also timed, beside our solution.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader import paths
from grader.model.result import Check, Result
from grader.release import answers, archive, part
from grader.release.contents import ReleaseError

NETWORK = ("http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL", "PIP_CERT", "SSL_CERT_FILE")
LONGEST = 900.0  # seconds for one command
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ALL_PUBLIC = "all public checks passed"  # in the text of a grade
AGAIN = 2  # times that a lab is timed again when a check could not be


@dataclass(frozen=True)
class Copy:
    """An unpacked archive and the environment of its commands."""

    folder: Path
    work: Path  # outside of the copy: the home folder, submissions, results

    def bash(self, line: str, expected: int) -> str:
        """Runs a command line in the copy. Returns its output. Raises ReleaseError if its exit
        status is not `expected`, or if it takes too long."""
        environment = {"PATH": SYSTEM_PATH, "HOME": str(self.work / "home")}
        environment |= {n: os.environ[n] for n in NETWORK if n in os.environ}
        with subprocess.Popen(
            ["/bin/bash", "-c", line],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                printed, _ = process.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired as late:
                raise ReleaseError(f"in the archive, `{line}` took over {LONGEST:.0f} s") from late
            finally:  # after Ctrl-C too: the folder is removed next, so nothing may still run in it
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        output = printed.decode(errors="replace")
        if process.returncode != expected:
            raise ReleaseError(
                f"in the archive, `{line}` exited with status {process.returncode} instead of "
                f"{expected}; its output:\n{output[-4000:]}"
            )
        return output

    def grade(self, lab: str, src: str, expected: int) -> tuple[Result, str]:
        """A grade and its text. Nothing is timed: a time depends on what else runs here."""
        out = self.work / "result.json"
        text = self.bash(f"./grade {lab} --no-speed --src {src} --json {out}", expected)
        return msgspec.json.decode(out.read_bytes(), type=Result), text

    def graded(self, lab: str, src: str) -> Result:
        """A grade of whatever score."""
        out = self.work / "answer.json"
        self.bash(f"./grade {lab} --no-speed --src {src} --json {out} || [ $? -eq 1 ]", expected=0)
        return msgspec.json.decode(out.read_bytes(), type=Result)

    def speed(self, lab: str, src: str) -> list[Check]:
        """The checks of a grade that were timed, with whatever verdict."""
        out = self.work / "timed.json"
        line = f"./grade {lab} -k 'speed of' --src {src} --json {out} || [ $? -ne 2 ]"
        self.bash(line, expected=0)
        result = msgspec.json.decode(out.read_bytes(), type=Result)
        return [check for check in result.checks if "student_ns" in check.details]


def run_trial(
    data: bytes, labs: list[str], work: Path, say: Callable[[str], None], timed: bool
) -> None:
    """Tries the archive in `work`, an empty folder. timed: it has objects of the solutions. Raises
    ReleaseError at the first surprise."""
    packed = work / "archive.tar.gz"
    packed.write_bytes(data)
    (work / "home").mkdir()
    copy = Copy(archive.unpack(packed, work / "unpacked"), work)
    example = part.EXAMPLE if part.EXAMPLE in labs else labs[-1]
    the_readmes_commands_work(copy, example, say)
    for number, lab in enumerate(labs, 1):
        began = time.monotonic()
        say(f"{lab}: lab {number} of {len(labs)}")
        a_starter_earns_nothing(copy, lab)
        submission = a_solution_earns_all_public_points(copy, lab, say)
        no_file_of_the_archive_is_the_answer(copy, lab, say)
        if timed:
            speed_is_measured_beside_our_solution(copy, lab, submission, say)
        say(f"{lab}: tried in {time.monotonic() - began:.0f} s")


def the_readmes_commands_work(copy: Copy, lab: str, say: Callable[[str], None]) -> None:
    readme = (copy.folder / "README.md").read_text()
    commands = [f"make {lab} && ./grade {lab}", "make test"]
    for command in commands:
        if f"\n    {command}\n" not in readme:
            raise ReleaseError(
                f"the README has no line `{command}`, indented by four spaces; put it back"
            )
    copy.bash(commands[0], expected=1)  # the starter is unsolved
    say(f"{commands[0]}: works, and the starter fails")
    copy.bash(commands[1], expected=0)
    say("make test: works")


def a_starter_earns_nothing(copy: Copy, lab: str) -> None:
    result, _ = copy.grade(lab, "starter", expected=1)
    if result.score.earned != 0:
        raise ReleaseError(
            f"the starter of {lab} earns {result.score.earned:g} points instead of 0; "
            "change its cases or its starter"
        )


def a_solution_earns_all_public_points(copy: Copy, lab: str, say: Callable[[str], None]) -> Path:
    """Returns the folder of the submission."""
    folder = next((paths.ROOT / "labs").glob(f"{lab}_*"))
    spec = tomllib.loads((folder / "lab.toml").read_text("utf-8-sig"))
    submission = copy.work / "submission"
    shutil.rmtree(submission, ignore_errors=True)
    submission.mkdir()
    for name in spec["submit"]:
        shutil.copyfile(paths.ROOT / "solutions" / folder.name / name, submission / name)
    result, text = copy.grade(lab, str(submission), expected=0)
    if result.hidden_included or ALL_PUBLIC not in text:
        raise ReleaseError(f"the grade of {lab} does not say '{ALL_PUBLIC}'; it says\n{text}")
    score = result.score
    say(f"{lab}: the starter earns 0, the solution {score.earned:g}/{score.measured:g} measured")
    return submission


def no_file_of_the_archive_is_the_answer(copy: Copy, lab: str, say: Callable[[str], None]) -> None:
    """Grades each file that has functions of the lab's types, under whatever names. Raises
    ReleaseError where one earns points in a part: the starter has none."""
    folder = next((copy.folder / "labs").glob(f"{lab}_*"))
    submit = tomllib.loads((folder / "lab.toml").read_text("utf-8-sig"))["submit"]
    files = [
        file
        for file in sorted(copy.folder.rglob("*.c*"))
        if file.suffix in (".c", ".cu") and not {"starter", "build"} & {*file.parts}
    ]
    for answer in answers.candidates(files, folder / "lab.h"):
        names = [name for name in submit if name.endswith(answer.file.suffix)]
        if not names:
            continue
        submission = copy.work / "answer"
        shutil.rmtree(submission, ignore_errors=True)
        submission.mkdir()
        (submission / names[0]).write_text(answer.text)
        shown = answer.file.relative_to(copy.folder)
        if earned := earned_by_part(copy.graded(lab, str(submission))):
            raise ReleaseError(
                f"{shown} is an answer to {lab}: it earns {earned}; change it, or the lab's checks"
            )
        say(f"{lab}: {shown} earns nothing as an answer")


def earned_by_part(result: Result) -> str:
    """ "5 in A, 3 in B"; "" for nothing."""
    parts: defaultdict[str, float] = defaultdict(float)
    for check in result.checks:
        parts[check.part or "no part"] += check.points
    return ", ".join(f"{points:g} in {part}" for part, points in parts.items() if points > 0)


def speed_is_measured_beside_our_solution(
    copy: Copy, lab: str, submission: Path, say: Callable[[str], None]
) -> None:
    """Only what it was compared with has to be right: a verdict depends on what else runs here."""
    files = [file.name for file in (copy.folder / "labs").glob(f"{lab}_*/reference/*.c.*")]
    checks = copy.speed(lab, str(submission)) if files else []
    for _ in range(AGAIN):  # another program may have used the cores, and nothing is said then
        if all("reference_ns" in check.details for check in checks):
            break
        checks = copy.speed(lab, str(submission))
    for check in checks:
        if "reference_ns" not in check.details:
            raise ReleaseError(
                f"in the archive, '{check.name}' of {lab} is not timed against our solution, "
                f"though there are {len(files)} objects of it; "
                "does none of them run on this machine?"
            )
    if checks:
        verdicts = ", ".join(f"{check.part} {check.verdict}" for check in checks)
        say(f"{lab}: the solution is timed against its object: {verdicts}")
