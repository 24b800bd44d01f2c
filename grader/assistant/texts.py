"""What the server answers, in words. All that a program may have shaped is fenced."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from grader.assistant.messages import Counted, Stepped
from grader.model import counters, plain_text
from grader.model.counters import Counters
from grader.model.question import Asked
from grader.model.quoted import fenced
from grader.model.result import Check, Result
from grader.render import handout
from grader.render.terminal import Terminal

MOST_CHECKS = 12  # that fail, by name
MOST_LINES = 30  # of a message
WIDTH = 100  # columns of predicted times


def grade(graded: Result) -> list[str]:
    score, checks = graded.score, [c for c in graded.checks if not c.hidden]
    verdicts = Counter(check.verdict for check in checks)
    wrong = [check for check in checks if check.verdict in ("fail", "uncertain", "error")]
    lines = [
        f"{graded.lab}, {graded.title}: {score.earned:g} of the {score.measured:g} points measured",
        "checks: " + ", ".join(f"{verdicts[word]} {word}" for word in verdicts),
        *map(_verdict, wrong[:MOST_CHECKS]),
    ]
    if len(wrong) > MOST_CHECKS:
        lines.append(f"and {len(wrong) - MOST_CHECKS} more")
    if wrong:
        lines += ["the first of them says:", *_said(wrong[0])]
        lines.append("finding says this of the others, by the name of a check")
    return lines + fenced(Terminal(WIDTH).predictions(graded).splitlines())


def finding(check: Check) -> list[str]:
    return [_verdict(check), *_said(check)]


def _verdict(check: Check) -> str:
    return f"{check.verdict}: {check.title()} ({check.points:g}/{check.max_points:g})"


def _said(check: Check) -> list[str]:
    page = handout.section(check.diagnosis, on_this_machine=False)
    told = [f"a known mistake: {page.mistake}, in {page.page}"] if page else []
    return [*told, *fenced(check.reasons()[:MOST_LINES])]


def counted(found: Sequence[Counted], line: int) -> list[str]:
    """The counters of a line; where it has none, the lines that have some."""
    here = [each for each in found if each.line == line]
    if not here:
        others = sorted({each.line for each in found})
        if not others:
            return ["no line was counted: only checks of technique count, once the result is right"]
        return [f"line {line} accesses no memory; these do: {', '.join(map(str, others))}"]
    by_launch: dict[tuple[str, int, str], list[str]] = {}
    for each in here:
        key = each.kernel, each.launch, repr(each.counters)
        by_launch.setdefault(key, []).append(each.check)
    lines = [f"{here[0].file}:{line}, all blocks of a launch together"]
    for (kernel, launch, _), checks in by_launch.items():
        values = next(e.counters for e in here if (e.kernel, e.launch) == (kernel, launch))
        lines.append(
            f"launch {launch}, as counted for: {plain_text.few([*dict.fromkeys(checks)], 3)}"
        )
        lines += fenced([f"kernel {kernel}"]) + _values(values)
    return lines


def _values(values: Counters) -> list[str]:
    table = msgspec.structs.asdict(values)
    return [
        f"  {counters.WORDS[n]}: {table[n]:,}" for n in table if table[n] and n in counters.WORDS
    ]


def stepped(found: Stepped) -> list[str]:
    return [
        f"{found.page} steps through a block of: {found.check}",
        "ask the student to open it in a browser, and to find the step that surprises them",
        f"it opens at block {found.block}:",
        *fenced([f"kernel {found.kernel}", *found.opens]),
    ]


def question(asked: Asked) -> list[str]:
    each = asked.question
    options = [] if each.typed else [f"{letter}) {o}" for letter, o in lettered(asked).items()]
    where = [f"{each.file}:{each.line}: {each.code}"] if each.line else []
    return [
        f"a question about part {each.part} of {each.lab}, for the student to answer:",
        *fenced([*where, each.text, *options]),
        f"the answer is {'a number' if each.typed else 'a letter'}; call ask with it",
    ]


def lettered(asked: Asked) -> dict[str, str]:
    return dict(zip("abcdefghij", asked.question.options, strict=False))
