"""Questions on paper, with keys for an oral exam of five minutes or without them: the code, the
questions, room for a name, answers and marks."""

import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment

from grader.model import plain_text
from grader.model.question import Asked
from grader.model.submission import Submission

AROUND = 4  # lines of code above and below the one that is asked about
TEMPLATE = Path(__file__).with_name("sheet.html")
EXAMINER = (
    "For the examiner: allow five minutes for three of these questions. Ask how the student "
    "finds the answer; a good reply covers the points of the explanation. Below each key is the "
    "mistake behind each wrong answer. All keys come from runs of this file."
)
STUDENT = "All questions are about your own file, as you handed it in. Write down one answer each."


@dataclass(frozen=True)
class Sheet:
    """The questions of one student. title: whose, and of which lab. texts: of the student's files,
    by their names."""

    title: str
    texts: Mapping[str, str]
    asked: Sequence[Asked]

    def code(self, asked: Asked) -> list[tuple[str, bool]]:
        """The lines around the one that is asked about, with their numbers; is it that one?"""
        question = asked.question
        if not question.line:
            return []
        lines = self.texts[Path(question.file).name].splitlines()
        first, last = max(question.line - AROUND, 1), min(question.line + AROUND, len(lines))
        around = range(first, last + 1)
        return [(f"{number:4}  {lines[number - 1]}", number == question.line) for number in around]


def of(submission: Submission, asked: Sequence[Asked]) -> Sheet:
    """The sheet of a file whose owner is not known."""
    lab = submission.lab
    texts = {name: submission.text(name) for name in submission.contents}
    return Sheet(f"{lab.id}, {lab.title}: {submission.shown}", texts, asked)


def html(sheets: Sequence[Sheet], keys: bool) -> bytes:
    """One document, each sheet on a page of its own. keys: with the answers."""
    template = Environment(autoescape=True, trim_blocks=True).from_string(TEMPLATE.read_text())
    shown = [
        (s.title, [(a.question, a.key, s.code(a), _offered(a)) for a in s.asked]) for s in sheets
    ]
    introduction = EXAMINER if keys else STUDENT
    text = template.render(introduction=introduction, sheets=shown, keys=keys)
    return plain_text.document(text).encode()


def pdf(sheets: Sequence[Sheet], keys: bool) -> bytes:
    """The same as PDF. Raises ImportError where typst is not installed."""
    import typst

    lines = ['#set page(paper: "a4", margin: 1.8cm, numbering: "1")\n#set text(size: 10pt)']
    for sheet in sheets:
        lines += ["#pagebreak(weak: true)\n#counter(page).update(1)", *_of_one(sheet, keys)]
    return bytes(typst.compile("\n".join(lines).encode()))


def _of_one(sheet: Sheet, keys: bool) -> list[str]:
    lines = [f"= {_text(sheet.title)}\n{_text(EXAMINER if keys else STUDENT)}\n"]
    rule = "#box(width: 1fr, line(length: 100%, stroke: 0.5pt))"
    if not keys:
        lines.append(f"Name: {rule} #h(1em) Marks: #box(width: 4em, line(length: 100%))\n")
    for number, each in enumerate(sheet.asked, 1):
        question, key = each.question, each.key
        line = f":{question.line}" if question.line else ""
        heading = f"{number}. Part {question.part}, {question.file}{line}"
        code = "\n".join(f"{'>' if here else ' '} {line}" for line, here in sheet.code(each))
        options = zip(string.ascii_lowercase, question.options, strict=False)
        lines += [
            f"#block(breakable: false)[\n== {_text(heading)}",
            f"#text(size: 8pt)[#raw({_quoted(code)}, block: true)]",
            f"{_text(question.text)}\n",
            *(f"{_text(f'{letter}. {o}')} \\" for letter, o in options if not question.typed),
        ]
        if keys:
            lines.append(f"\n*Key:* {_text(key.answer)}. {_text(key.why)}\n")
            lines += [f"#text(size: 8pt)[{_text(f'{o}: {why}')}] \\" for o, why in _offered(each)]
        else:
            lines.append(f"\nAnswer: {rule}\n")
        lines.append("]")
    return lines


def _text(words: str) -> str:
    """A string of typst, in which nothing is markup."""
    return "#" + _quoted(words)


def _quoted(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


def _offered(asked: Asked) -> list[tuple[str, str]]:
    """The likeliest wrong answers, with the mistake behind each."""
    hints = asked.key.mistakes
    return [(option, hints[option]) for option in asked.question.options if option in hints]
