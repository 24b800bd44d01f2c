"""A page for an oral exam of five minutes: the code, the questions, the keys, and why."""

import json
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment

from grader.model import plain_text
from grader.model.question import Asked
from grader.model.submission import Submission

AROUND = 4  # lines of code above and below the one that is asked about
TEMPLATE = Path(__file__).with_name("sheet.html")


def html(submission: Submission, asked: Sequence[Asked]) -> bytes:
    """The page as HTML; it contains the answer keys."""
    template = Environment(autoescape=True, trim_blocks=True).from_string(TEMPLATE.read_text())
    shown = [(a.question, a.key, _code(submission, a), _offered(a)) for a in asked]
    text = template.render(title=_title(submission), introduction=INTRODUCTION, asked=shown)
    return plain_text.document(text).encode()


def pdf(submission: Submission, asked: Sequence[Asked]) -> bytes:
    """The page as PDF. Raises ImportError where typst is not installed."""
    import typst

    def text(words: str) -> str:
        """A string of typst, in which nothing is markup."""
        return "#" + json.dumps(words, ensure_ascii=False)

    lines = [
        '#set page(paper: "a4", margin: 1.8cm, numbering: "1")\n#set text(size: 10pt)',
        f"= {text(_title(submission))}\n{text(INTRODUCTION)}",
    ]
    for number, each in enumerate(asked, 1):
        question, key = each.question, each.key
        line = f":{question.line}" if question.line else ""
        heading = f"{number}. Part {question.part}, {question.file}{line}"
        code = "\n".join(f"{'>' if here else ' '} {line}" for line, here in _code(submission, each))
        answers = "" if question.typed else text(" / ".join(question.options))
        lines += [
            f"#block(breakable: false)[\n== {text(heading)}",
            f"#text(size: 8pt)[#raw({json.dumps(code, ensure_ascii=False)}, block: true)]",
            f"{text(question.text)}\n\n{answers}\n",
            f"*Key:* {text(key.answer)}. {text(key.why)}\n",
            *(f"#text(size: 8pt)[{text(f'{o}: {why}')}] \\" for o, why in _offered(each)),
            "]",
        ]
    return bytes(typst.compile("\n".join(lines).encode()))


INTRODUCTION = (
    "For the examiner: allow five minutes for three of these questions. Ask how the student "
    "finds the "
    "answer; a good reply covers the points of the explanation. Below each key is the mistake "
    "behind each wrong answer. All keys come from runs of this file."
)


def _title(submission: Submission) -> str:
    return f"{submission.lab.id}, {submission.lab.title}: {submission.shown}"


def _offered(asked: Asked) -> list[tuple[str, str]]:
    """The likeliest wrong answers, with the mistake behind each."""
    hints = asked.key.mistakes
    return [(option, hints[option]) for option in asked.question.options if option in hints]


def _code(submission: Submission, asked: Asked) -> list[tuple[str, bool]]:
    """The lines around the one that is asked about, with their numbers; is it that one?"""
    question = asked.question
    if not question.line:
        return []
    name = next(n for n in submission.contents if submission.path(n) == question.file)
    lines = submission.text(name).splitlines()
    first, last = max(question.line - AROUND, 1), min(question.line + AROUND, len(lines))
    around = range(first, last + 1)
    return [(f"{number:4}  {lines[number - 1]}", number == question.line) for number in around]
