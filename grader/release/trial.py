"""Uses the archive as a student does: unpacked into a new folder, in a bare environment.

PATH and HOME are all that the commands are given, and what pip needs where it cannot reach PyPI by
itself. What they must come to is in the functions' names.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader import paths
from grader.model.result import Result
from grader.release import archive, contents
from grader.release.contents import ReleaseError

NETWORK = ("http_proxy", "https_proxy", "no_proxy", "PIP_INDEX_URL", "PIP_CERT", "SSL_CERT_FILE")
LONGEST = 900.0  # seconds of one command
SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PUBLIC = "all public checks passed"


@dataclass(frozen=True)
class Copy:
    """An unpacked archive and the environment that it is used in."""

    folder: Path
    place: Path  # beside it: the home, what is graded, what comes out

    def bash(self, line: str, expected: int) -> str:
        """Runs a command line. Returns what it printed; raises ReleaseError for another status."""
        environment = {"PATH": SYSTEM, "HOME": str(self.place / "home")}
        environment |= {n: os.environ[n] for n in NETWORK if n in os.environ}
        with subprocess.Popen(
            ["/bin/bash", "-c", line],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as started:
            try:
                printed, _ = started.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired as late:
                raise ReleaseError(f"in the archive, `{line}` took over {LONGEST:.0f} s") from late
            finally:  # Ctrl-C as well: nothing goes on in a folder that is about to be removed
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(started.pid, signal.SIGKILL)
        said = printed.decode(errors="replace")
        if started.returncode != expected:
            raise ReleaseError(
                f"in the archive, `{line}` ended with {started.returncode}, not {expected}; "
                f"it said\n{said[-4000:]}"
            )
        return said

    def grade(self, lab: str, src: str, expected: int) -> tuple[Result, str]:
        """A grade and its text. Without what is timed: that depends on what else runs here."""
        out = self.place / "result.json"
        text = self.bash(f"./grade {lab} --no-speed --src {src} --json {out}", expected)
        return msgspec.json.decode(out.read_bytes(), type=Result), text


def run(data: bytes, labs: list[str], place: Path, say: Callable[[str], None]) -> None:
    """Tries everything in `place`, an empty folder. Raises ReleaseError at the first surprise."""
    packed = place / "archive.tar.gz"
    packed.write_bytes(data)
    (place / "home").mkdir()
    copy = Copy(archive.unpack(packed, place / "unpacked"), place)
    example = contents.EXAMPLE if contents.EXAMPLE in labs else labs[-1]
    the_readme_names_what_works(copy, example, say)
    for lab in labs:
        a_starter_earns_nothing(copy, lab)
        a_solution_earns_all_that_is_public(copy, lab, say)


def the_readme_names_what_works(copy: Copy, lab: str, say: Callable[[str], None]) -> None:
    readme = (copy.folder / "README.md").read_text()
    commands = [f"make {lab} && ./grade {lab}", "make test"]
    for command in commands:
        if f"\n    {command}\n" not in readme:
            raise ReleaseError(f"the student's README does not name `{command}`; see README.md")
    copy.bash(commands[0], expected=1)  # the starter is unsolved
    say(f"{commands[0]}: works, and the starter fails")
    copy.bash(commands[1], expected=0)
    say("make test: works")


def a_starter_earns_nothing(copy: Copy, lab: str) -> None:
    result, _ = copy.grade(lab, "starter", expected=1)
    if result.score.earned != 0:
        raise ReleaseError(f"the starter of {lab} earns {result.score.earned:g} points; it must 0")


def a_solution_earns_all_that_is_public(copy: Copy, lab: str, say: Callable[[str], None]) -> None:
    folder = next((paths.ROOT / "labs").glob(f"{lab}_*"))
    spec = tomllib.loads((folder / "lab.toml").read_text())
    submission = copy.place / "submission"
    shutil.rmtree(submission, ignore_errors=True)
    submission.mkdir()
    for name in spec["submit"]:
        shutil.copyfile(paths.ROOT / "solutions" / folder.name / name, submission / name)
    result, text = copy.grade(lab, str(submission), expected=0)
    if result.hidden_included or PUBLIC not in text:
        raise ReleaseError(f"the grade of {lab} does not say '{PUBLIC}'; it says\n{text}")
    score = result.score
    say(f"{lab}: the starter earns 0, the solution {score.earned:g}/{score.measured:g} measured")
