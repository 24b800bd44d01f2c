"""A grade as text: one line per check, and what helps where something is wrong."""

import re
import textwrap
from dataclasses import dataclass, field

from grader.checks.prerequisites import NOTHING
from grader.model import outline
from grader.model.result import Check, Result
from grader.model.score import Score
from grader.render import predicted_words

WORDS = {"pass": "ok", "fail": "FAIL", "uncertain": "unsure", "error": "ERROR", "skip": "skip"}
COLOURS = {"pass": "32", "fail": "1;31", "uncertain": "33", "error": "1;35", "skip": "2"}
INDENT = " " * 8
# Lines that say for which input, not what was found.
OF_THE_CASE = ("this case: ", "on the smaller input of the check ")
# A warning about numbers of bytes, or of what nvcc refuses: it compiles, and is not meant so.
_OF_BYTES = re.compile(r"warning: .*:\d+: (?:cuda\w+\(\)|\S+ is a pointer, whose sizeof|the )")
# A finding, which begins with its line or lines; other threads and elements make it no other one.
# A sentence, whose words before the colon say enough where it comes again.
_FOUND = re.compile(r"(?P<where>\S+:\d+(?: and :\d+)?)(?: \(\d+ times\))?: ")
_SENTENCE = re.compile(r"(?P<where>[^:]+): ")
_NUMBER = re.compile(r"\b\d+")
WRONG = ("correct", "safe")  # kinds of checks that a warning may explain
UNSOLVED = "cudaErrorNotSupported"  # what the functions of a starter return


@dataclass
class Terminal:
    """Renders the parts of a grade, in their order, and no message twice."""

    width: int = 100
    colour: bool = False
    verbose: bool = False
    _printed: set[tuple[str, ...]] = field(default_factory=set)
    _found: set[tuple[str, str]] = field(default_factory=set)  # where, and what without numbers
    _said: set[str] = field(default_factory=set)  # the lines of messages
    _hinted: set[str] = field(default_factory=set)  # parts
    _skipped_all: bool = False
    _seen: list[Check] = field(default_factory=list)
    _begun: str = ""  # the check whose first line is printed, by its id
    _warned: list[str] = field(default_factory=list)  # what may be why a program is wrong
    _folded: int = 0  # checks without a line, of parts that have given no result

    def header(self, lab: str, title: str, files: list[str], backend: str) -> str:
        """The first lines: which files are graded, and on which backend."""
        name = f"{lab}  {title}"
        gap = " " * max(2, 32 - len(name))
        named = [f"your file{'s' * (len(files) > 1)}: {', '.join(files[:1])}", *files[1:]]
        first = f"{self._paint('1', name)}{gap}backend: {backend}"
        return "\n".join([first, *(f"      {line}" for line in named)])

    def failing(self, check: Check) -> str:
        """The line of a check that fails, before it is known why; "" where it was printed, and
        where it may be that it is left out."""
        if self._begun == check.id or (self._had_nothing(check, self._seen) and not self.verbose):
            return ""
        self._begun = check.id
        line = self._line(check, f"{check.points:g}/{check.max_points:g}")
        return "\n".join([*self._causes(check), line])

    def check(self, check: Check, lab: str, hints: int, step: str = "") -> str:
        """The line of a check and, where something is wrong, why. "" when one line stands for all
        the checks that were skipped, or for all those of a part in which nothing is written yet.
        `hints`: how many its part has. step: the command that steps through it, or "". After
        failing(), only why."""
        self._seen.append(check)
        is_begun, self._begun = self._begun == check.id and check.verdict == "fail", ""
        if self._says_nothing_new(check) and not self.verbose and not is_begun:
            self._folded += 1
            return ""
        if check.verdict == "skip" and check.needs == "compiles" and not self.verbose:
            return self._all_skipped()  # a line each would hide what the compiler printed
        if check.verdict == "skip" and check.needs:
            note = f"needs: {check.needs}"
        elif check.max_points:
            note = f"{check.points:g}/{check.max_points:g}"
        else:
            note = ""
        if self.verbose and check.seconds:
            note = f"{check.seconds:.2f} s  {note}"
        if check.details.get("as_before"):
            note = f"as before  {note}"
        message = tuple(line for line in check.message if not line.startswith(OF_THE_CASE))
        repeated = bool(message) and message in self._printed and not self.verbose
        note = f"as above  {note}" if repeated else note
        self._printed.add(message)
        lines = [] if repeated else self._lines(check, lab, hints, step)
        if is_begun:
            return "\n".join([f"{INDENT}as above"] if repeated else lines)
        return "\n".join([*self._causes(check), self._line(check, note), *lines])

    def _causes(self, check: Check) -> list[str]:
        """What the compilers warned of, before the first check whose result is wrong."""
        if check.kind == "build" and check.verdict == "pass" and not self.verbose:
            self._warned += [line for line in check.message if not line.startswith("warning: ")]
        wrong = any(c.verdict == "fail" and c.kind in WRONG for c in [*self._seen, check])
        if not (wrong and self._warned):
            return []
        lines, self._warned = [wrapped for t in self._warned for wrapped in self._wrap(t)], []
        return [f"  {self._paint(COLOURS['uncertain'], 'note ')} the compiler warns:", *lines]

    def _line(self, check: Check, note: str) -> str:
        word = f"{WORDS[check.verdict]:<5}"
        part = f"{check.part}  " if check.part else ""
        width = 8 + len(part) + len(check.name)
        text = f"  {self._paint(COLOURS[check.verdict], word)} {part}{check.name}"
        text += " " * max(2, self.width - 4 - width - len(note)) + note if note else ""
        return text.rstrip()

    def _says_nothing_new(self, check: Check) -> bool:
        """Is the check without any result, like all before it: those of its part, or of all parts?
        An error that was not printed yet is new, but for that which a starter returns."""
        if check.part is None or check.verdict not in ("fail", "skip"):
            return False
        if check.verdict == "fail" and not check.hidden:
            first = "".join(check.message[:1])
            known = tuple(check.message) in self._printed or first.endswith(UNSOLVED)
            if check.diagnosis not in NOTHING or not (known or check.diagnosis != "returned-error"):
                return False
        return self._had_nothing(check, self._seen[:-1])

    def _had_nothing(self, check: Check, seen: list[Check]) -> bool:
        """Was there no result in the checks before: those of its part, or of all parts?"""
        ran = [c for c in seen if c.part and c.verdict != "skip" and not c.hidden]
        before = [c for c in ran if c.part == check.part] or ran
        return bool(before) and all(c.diagnosis in NOTHING for c in before)

    def _all_skipped(self) -> str:
        first, self._skipped_all = not self._skipped_all, True
        return f"  {self._paint(COLOURS['skip'], 'skip ')} all other checks" if first else ""

    def _lines(self, check: Check, lab: str, hints: int, step: str) -> list[str]:
        """What is printed below the check: its message, how to see it, where the first hint is."""
        message = [*check.message, *(_all_printed(check) if self.verbose else [])]
        if check.verdict == "pass" and check.points == check.max_points and not self.verbose:
            message = [line for line in message if _OF_BYTES.match(line)]
        message = self._once(message) if check.part and not self.verbose else message
        lines = [wrapped for line in message for wrapped in self._wrap(line)]
        if step:
            lines.append(f"{INDENT}step through it: {step}")
        if check.verdict == "fail" and check.part and hints and check.part not in self._hinted:
            self._hinted.add(check.part)
            lines.append(f"{INDENT}hint 1 of {hints}: ./grade hint {lab} {check.part}")
        return lines

    def _once(self, message: list[str]) -> list[str]:
        """The message, with "as above" for a finding or a long sentence that was printed before,
        and without what was said of the finding then."""
        lines, is_known = [], False
        for line in message:
            of_case = line.startswith(OF_THE_CASE)
            is_long = len(line) > self.width - len(INDENT) and not of_case
            at = _FOUND.match(line)
            if found := at or (_SENTENCE.match(line) if is_long else None):
                where = found["where"] if at else _NUMBER.sub("", found["where"])
                finding = where, _NUMBER.sub("", line[found.end() :])
                is_known = finding in self._found
                self._found.add(finding)
                lines.append(f"{found['where']}: as above" if is_known else line)
            elif of_case or not (is_known and line in self._said):
                is_known = False
                lines.append(line)
            self._said.add(line)
        return lines

    def predictions(self, result: Result) -> str:
        """What is predicted of speed that needs a GPU; "" for nothing. Reasons that are the same
        for all are said once."""
        if not result.predictions:
            return ""
        reasons = {p.reason for p in result.predictions}
        if len(result.predictions) > 1 and len(reasons) == 1 and "" not in reasons:
            return "\n".join(self._wrap(f"speed is not predicted: {reasons.pop()}"))
        lines = []  # what a technique check says comes first
        failed = {c.part for c in result.checks if (c.kind, c.verdict) == ("technique", "fail")}
        for each in result.predictions:
            _, part, name = each.check.split("/", 2)
            lines.append(f"  {self._paint(COLOURS['uncertain'], 'pred ')} {part}  {name}")
            lines += self._wrap(predicted_words.line(each))
            if each.advice and part not in failed:
                lines += self._wrap(f"try: {each.advice}")
        return "\n".join(lines)

    def corrections(self, result: Result) -> str:
        """The changes after which what fails is right; "" for none."""
        lines = []
        for each in result.corrections:
            parts = ", ".join(each.parts)
            lines.append(f"  {self._paint(COLOURS['fail'], 'cause')} {parts}")
            lines += self._wrap(each.cause())
        return "\n".join(lines)

    def footer(self, result: Result) -> str:
        """What follows the checks: the score, and what is predicted."""
        return "\n".join(filter(None, [self.score(result), self.predictions(result)]))

    def score(self, result: Result, again: str = "", reported: bool = False) -> str:
        """The score, what is left to do, and how to go on. `reported`: an HTML report follows.
        `again`: the command that grades the same file; "": the one for the starter."""
        lines, again = [], again or f"./grade {result.lab}"
        if self._folded:
            more = "1 more check gives" if self._folded == 1 else f"{self._folded} more checks give"
            lines.append(f"  {more} no result yet; -v lists them")
        lines.append(f"  {self._paint('1', points(result.score, result.selected))}")
        failed = [c for c in result.checks if c.verdict == "fail"]
        if failed and result.open_todos:
            count = len(result.open_todos)
            verb = "TODO is" if count == 1 else "TODOs are"
            lines.append(f"  {count} {verb} still open; the first: {result.open_todos[0]}")
        if any(c.verdict == "error" for c in result.checks):
            lines.append(
                "  The grader or this machine is at fault, not your file: you lose no points."
            )
        elif not failed and result.selected is None:
            kind = "check" if result.hidden_included else "public check"
            certain = not any(c.verdict == "uncertain" for c in result.checks)
            lines.append(f"  all {kind}s passed" if certain else f"  no {kind} failed")
            labs = list(outline.available())
            following = labs[labs.index(result.lab) + 1 :] if result.lab in labs else []
            lines += [f"  next: handouts/{lab}.md" for lab in following[:1] if certain]
        public = [c for c in failed if not c.hidden and c.part]
        if self._folded and not result.score.earned:
            lines.append(f"  this lab's page: handouts/{result.lab}.md")
            lines.append("  new here? begin with handouts/introduction.md and lab1")
        elif public:
            lines.append(f"  again: {again} -k '{public[0].name}'")
        if public and result.score.earned and not reported:
            lines.append(f"  pictures: {again} --html report.html")
        return "\n".join(lines)

    def _wrap(self, line: str) -> list[str]:
        hang = INDENT + "    " if line.startswith("    ") else INDENT
        return textwrap.wrap(
            line.strip(), max(40, self.width - 4), initial_indent=hang, subsequent_indent=hang
        )

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


def points(score: Score, selected: str | None) -> str:
    """ "85/85 measured, 15 need a GPU"."""
    if selected is not None:
        return f"{score.earned:g}/{score.measured:g} of the checks that match '{selected}'"
    text = f"{score.earned:g}/{score.measured:g}"
    if not score.unmeasured:
        return text
    rest = ", ".join(f"{u.points:g} {u.reason}" for u in score.unmeasured)
    return f"{text} measured, {rest}"


def _all_printed(check: Check) -> list[str]:
    """All that the student's program printed; nothing where the message shows it."""
    printed = [f"    {line}" for line in check.details.get("printed", [])]
    if all(line in check.message for line in printed):
        return []
    return ["all that your program printed:", *printed]
