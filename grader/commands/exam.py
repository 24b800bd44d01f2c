"""`./grade exam FOLDER`: takes part in an exam. The standard library alone."""

import hashlib
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from grader import exit_codes, paths
from grader.commands.errors import CommandError
from grader.commands.parser import Parser
from grader.model import outline
from grader.model.outline import Outline
from grader.student import exam, starter_files
from grader.student.exam import Exam, ExamError


def run(arguments: Sequence[str]) -> int:
    """Waits for the exam, hands in until it ends, and says what was handed in last."""
    parser = Parser("exam")
    parser.add_argument(
        "folder", metavar="FOLDER", help="the instructor's: ./grade proctor makes it"
    )
    folder = Path(parser.parse_args(arguments).folder)
    try:
        its = exam.by_own_clock(exam.read(folder), folder)
        if its.lab not in outline.available():
            raise ExamError(f"the exam is about {its.lab}, which this copy of the course lacks")
        lab = outline.load(its.lab)
        return _take_part(its, lab, folder)
    except ExamError as problem:
        raise CommandError(str(problem), exit_codes.LESS) from problem
    except OSError as problem:
        raise CommandError(f"{problem.filename}: {problem.strerror}", exit_codes.LESS) from problem
    except KeyboardInterrupt:
        why = "no longer handing in; what was handed in stays. Go on with the same command"
        raise CommandError(why, exit_codes.INTERRUPTED) from None


def _take_part(its: Exam, lab: Outline, folder: Path) -> int:
    if time.time() >= its.ends:
        raise ExamError(f"the exam about {its.lab} ended at {its.until()}")
    if (left := its.starts - time.time()) > 0:
        _say(f"{its.lab} begins at {datetime.fromtimestamp(its.starts):%H:%M:%S}; waiting")
        time.sleep(left)
    home = paths.STARTER / lab.folder
    if not exam.is_begun(its) and (backup := starter_files.restore(lab, home, datetime.now())):
        _say(f"your files of before are in {backup}")
    name = exam.begin(its)
    _say(f"{its.lab}  {lab.title}: until {its.until()}")
    _say(
        f"  write in {', '.join(str((home / each).relative_to(paths.ROOT)) for each in lab.submit)}"
    )
    _say(f"  grade it in another terminal: make {its.lab} && ./grade {its.lab}")
    _say("  there are no hints; each save is handed in, and so is the log of your grades")
    last = exam.hand_in(its, folder / exam.DROP / name, lab.submit, home, _say)
    exam.end()
    if not last:
        raise ExamError(
            "the time is over, and nothing could be handed in; keep your files, tell the proctor"
        )
    digest = hashlib.sha256(last).hexdigest()
    _say(f"the time is over. Handed in: {name}, {len(last)} bytes, sha256 {digest}")
    return exit_codes.FULL_MARKS


def _say(text: str) -> None:
    print(text, file=sys.stdout, flush=True)
