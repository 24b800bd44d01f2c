"""What one server remembers between calls, and its answers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.assistant import hints, own, texts, tools
from grader.assistant.messages import Graded, Message
from grader.commands.errors import UsageError
from grader.model import assistants, outline, plain_text
from grader.model.question import Asked
from grader.model.quoted import fenced
from grader.student import exam, grade_log

TRIES = 2  # answers to a question
NO_ASSISTANTS = (
    "this course allows no help by assistants with its labs; AGENTS.md says what is left"
)


@dataclass
class Open:
    """A question that waits for an answer."""

    asked: Asked
    tries: int = 0


@dataclass
class Conversation:
    """graded: the last grade of each lab. questions: by lab and part."""

    graded: dict[str, Graded] = field(default_factory=dict)
    questions: dict[tuple[str, str], Open] = field(default_factory=dict)

    def begin(self, name: object, arguments: object) -> list[str] | tools.Request:
        """The answer of a call, or the call if a process must carry it out. Raises UsageError for a
        refusal, OSError where the log cannot be written."""
        if assistants.allowed() == "none":
            raise UsageError(NO_ASSISTANTS)
        if its := exam.running():
            raise UsageError(f"an exam is running until {its.until()}: no tool answers")
        request = tools.request(name, arguments)
        lab = own.lab(request.lab)
        match request:
            case tools.Grade():
                self._record(request, own.part(lab, request.part) if request.part else "")
            case tools.Step():
                self._record(request, own.check(lab, request.check).name)
            case tools.Finding():
                return self._finding(request)
            case tools.Counters():
                return self._counters(request)
            case tools.Hint():
                return self._hint(request, own.part(lab, request.part))
            case tools.Ask():
                part = own.part(lab, request.part)
                self._record(request, f"{part}, an answer" if request.answer else part)
                if request.answer:
                    return self._judged(request.lab, part, request.answer)
        return request

    def end(self, request: tools.Request, outcome: Message) -> list[str]:
        """The answer of a call that a process carried out."""
        if outcome.graded:
            self.graded[request.lab] = outcome.graded
            return texts.grade(outcome.graded.result)
        if outcome.stepped:
            return texts.stepped(outcome.stepped)
        assert outcome.asked
        each = outcome.asked.question
        self.questions[each.lab, each.part] = Open(outcome.asked)
        return texts.question(outcome.asked)

    def _record(self, request: tools.Request, about: str) -> None:
        grade_log.append_call(request.lab, type(request).__name__.lower(), lambda _: about)

    def _last(self, lab: str) -> Graded:
        if lab not in self.graded:
            raise UsageError(f"there is no grade of {lab} yet: call grade first")
        return self.graded[lab]

    def _stale(self, last: Graded) -> Sequence[str]:
        now = own.submission(last.result.lab)
        graded = {file.path: file.sha256 for file in last.result.files}
        if graded == {now.path(name): now.digest(name) for name in now.contents}:
            return ()
        return ("the file has changed since this grade: call grade again",)

    def _finding(self, request: tools.Finding) -> list[str]:
        last = self._last(request.lab)
        shown = [check for check in last.result.checks if not check.hidden]
        check = own.named(shown, request.check, f"the last grade of {request.lab}")
        self._record(request, check.name)
        return [*self._stale(last), *texts.finding(check)]

    def _counters(self, request: tools.Counters) -> list[str]:
        last = self._last(request.lab)
        self._record(request, f"line {request.line}")
        counted = [each for each in last.counted if each.file.endswith(request.file)]
        return [*self._stale(last), *texts.counted(counted, request.line)]

    def _hint(self, request: tools.Hint, name: str) -> list[str]:
        lab = outline.load(request.lab)
        part = next(each for each in lab.parts if each.id == name)

        def stage(log: grade_log.Log) -> str:
            return f"{name} {hints.number_of_next(lab, part, log)}"

        given = grade_log.append_call(request.lab, "hint", stage)
        return hints.text(lab, part, int(given.split()[1]))

    def _judged(self, lab: str, part: str, answer: str) -> list[str]:
        """What to say of an answer. The key stays here, but for a right answer."""
        waiting = self.questions.get((lab, part))
        if waiting is None:
            raise UsageError(
                f"no question about part {part} of {lab} is open: call ask without answer"
            )
        key, given = waiting.asked.key, answer.strip()
        if waiting.asked.question.typed:
            if not re.fullmatch(r"[0-9]{1,15}", given, re.ASCII):
                raise UsageError("the answer to this question is a whole number")
            given = str(int(given))
        else:
            options = texts.lettered(waiting.asked)
            given = options.get(given.lower(), given)
            if given not in options.values():
                raise UsageError(f"the answer to this question is one of {', '.join(options)}")
        waiting.tries += 1
        if given == key.answer:
            del self.questions[lab, part]
            return ["right", *fenced([key.why])]
        if waiting.tries >= TRIES:
            del self.questions[lab, part]
            return [f"not right; ./grade ask {lab} {part} asks the student, and explains"]
        hint = plain_text.line(key.hint(given))
        return ["not right; one more answer counts", *fenced([hint] if hint else [])]
