"""Grades an attack, and says what stopped it or why it got through."""

import json
import re
import tempfile
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from grader.classroom.course.final import Final
from grader.classroom.course.person import Person
from grader.classroom.course.students import Student
from grader.classroom.export.feedback import feedback
from grader.execute import backend as backends
from grader.grading import pipeline
from grader.model.result import Check, Result, to_json
from grader.render import html
from grader.render.terminal import Terminal
from grader.sandbox import limits
from grader.session.observer import Observer
from grader.session.plan import plan_for
from grader.session.report_data import ReportData
from grader.tests.attacks import host_state, material
from grader.tests.attacks.attack import Attack
from grader.tests.attacks.material import Target

WAIT = 3.0  # seconds that a program may sleep
LONGEST_LINE = 3000  # characters of what a student or a program gets to read
STOPPED = re.compile(r"stopped: (?P<call>[^:]*): (?P<reason>.*)")
# How the check of a submission's source and objects words what it refuses.
CHECKED = re.compile(
    r"a lab's code|; remove (it|the call)|from a macro of yours|^\S+:\d+ (calls|defines|uses) ",
    re.MULTILINE,
)
SHOWN = ("output", "hidden")  # groups whose renderings are looked at, the page among them


@dataclass(frozen=True)
class Outcome:
    """What came of an attack. verdict: what the grade says; survived: why the attack was not
    stopped as it must be; [] when it was. made: on which day."""

    name: str
    group: str
    stopped_by: str
    verdict: str
    seconds: float
    survived: list[str] = field(default_factory=list)
    made: str = field(default_factory=lambda: str(datetime.now(UTC).date()))


@contextmanager
def short_waits() -> Iterator[None]:
    """Programs that sleep are stopped after WAIT seconds in place of a minute."""
    kept, limits.LEAST_WAIT = limits.LEAST_WAIT, WAIT
    try:
        yield
    finally:
        limits.LEAST_WAIT = kept


def attempt(attack: Attack, place: Target, home: Path, patience: float = 1) -> Outcome:
    """Grades the attack in the sandbox, in a new folder below `home`, as a bulk run would.

    patience: how many times the attack's seconds it may take.
    """
    before = host_state.look(place)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=home) as folder, short_waits():
        Path(folder).chmod(0o755)  # as a bulk run's: another user enters it
        lab = material.lab_of(attack)
        submission = material.submission(attack, lab, place, Path(folder))
        report = ReportData(submission) if attack.group in SHOWN else None
        backend = backends.choose(lab, attack.backend)
        plan = plan_for(lab, backend, attack.checks, timed=attack.timed)
        assert plan.checks, f"no check matches {attack.checks}"
        result = pipeline.grade(plan, submission, Observer(), report=report)
        texts = _rendered(result, report) if report else {}
    seconds = time.monotonic() - began
    survived = [
        *_against(attack, result),
        *_leaked(attack, texts),
        *(problem for name, text in texts.items() for problem in unprintable(name, text)),
        *host_state.changes(before, host_state.look(place)),
    ]
    if place.was_connected():
        survived.append("it reached a socket of this machine")
    if seconds > (bound := patience * attack.seconds):
        survived.append(f"it took {seconds:.0f} s; it must be over in {bound:.0f} s")
    return Outcome(
        attack.name, attack.group, stopped_by(result), verdict(result), seconds, survived
    )


def verdict(result: Result) -> str:
    """The grade in a few words."""
    if any(c.verdict == "error" for c in result.checks):
        return "the grader is blamed"
    if result.checks[0].verdict == "fail":
        return "does not build"
    return f"{result.score.earned:g}/{result.score.measured:g}"


def _against(attack: Attack, result: Result) -> Iterator[str]:
    """What the grade must not be."""
    for check in result.checks:
        if check.verdict == "error":
            yield f"the grader is blamed: {check.name}: {' '.join(check.message)[:200]}"
        if check.verdict == "fail" and not check.message and not check.hidden:
            yield f"{check.name} fails without a word"
    if attack.expect in ("nothing", "refused") and result.score.earned > 0:
        yield f"it earned {result.score.earned:g} of {result.score.measured:g} points"
    if attack.expect == "refused" and result.checks[0].verdict != "fail":
        yield "it was built"


def _rendered(result: Result, report: ReportData) -> dict[str, str]:
    """All that a student, an instructor or a program gets to read of the result."""
    verbose = Terminal(verbose=True)
    shown = [verbose.check(c, result.lab, 3) for c in result.checks]
    final = Final(Student("ann", Person(), ()), result.lab, "graded", result=result)
    return {
        "terminal": "\n".join([*shown, verbose.footer(result)]),
        "feedback": feedback(final),
        "page": html.page(result, report),
        "json": to_json(result).decode(),
    }


def _leaked(attack: Attack, texts: dict[str, str]) -> Iterator[str]:
    """What of a hidden case can be read in the renderings."""
    if attack.expect != "no leak":
        return
    document = json.loads(texts["json"])
    said = json.dumps([c for c in document["checks"] if c["kind"] != "build"], ensure_ascii=False)
    for name, text in {**texts, "checks": said}.items():
        if re.search(r"LEAK -?\d", text):
            yield f"{name} repeats what the program printed of a hidden case"
    if attack.leak and (found := re.search(attack.leak, said)):
        yield f"what students get of a hidden case depends on it: {found[0]}"


def unprintable(name: str, text: str) -> Iterator[str]:
    """What of a text a terminal, a browser or an editor would obey rather than show."""
    if name == "json":
        text = "\n".join(_strings(json.loads(text)))
    bad = {
        c
        for c in text
        if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
    }
    if bad:
        yield f"{name} holds {', '.join(f'U+{ord(c):04X}' for c in sorted(bad)[:5])}"
    if name == "page" and ("<script" in text.lower() or "<img src=x" in text):
        yield "the page holds a student's HTML"
    longest = max(map(len, text.split("\n")))
    if name != "page" and longest > LONGEST_LINE:
        yield f"{name} holds a line of {longest} characters"


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(key)
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


# ---- what stopped it, as the grade shows


def stopped_by(result: Result) -> str:
    """The wall that the first failed check names."""
    checks = [c for c in result.checks if c.kind != "build" or c.verdict != "pass"]
    failed = next((c for c in checks if c.verdict in ("fail", "error")), None)
    if failed is None:
        skipped = any(c.verdict == "skip" for c in checks)
        return "comparison: a wrong result is not counted" if skipped else "nothing"
    text = "\n".join(failed.message)
    if failed.kind == "build":
        return _build_wall(text)
    if found := STOPPED.search(text):
        return f"sandbox: {found['call']}: {found['reason']}"
    return _run_wall(failed, text)


def _build_wall(text: str) -> str:
    if "No such file" in text or "file not found" in text:
        return "sandbox of the compiler"
    if "processor time" in text or "of memory" in text or "printed more" in text:
        return "limits of the compiler"
    return "check of source and objects" if CHECKED.search(text) else "compiler"


def _run_wall(check: Check, text: str) -> str:
    words = {
        "timeout": "limit on time",
        "waiting": "limit on waiting",
        "flood": "limit on output",
        "no-result": "protocol: no result",
        "wrote-outside": "guard zones",
        "changed-input": "inputs compared",
    }
    if check.diagnosis in words:
        return words[check.diagnosis]
    if "of memory and was stopped" in text:
        return "limit on memory"
    if "crashed" in text or check.diagnosis in ("crashed", "null-pointer", "stack-overflow"):
        return "the kernel: it crashed"
    if check.kind == "technique":
        return "counters"
    if check.kind == "safe":
        return "checked run"
    return "comparison"
