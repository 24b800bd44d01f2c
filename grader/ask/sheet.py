"""A page for an oral exam of five minutes: the code, the questions, the keys, and why."""

import json
from collections.abc import Sequence

from markupsafe import Markup

from grader.model.question import Asked
from grader.model.submission import Submission

AROUND = 4  # lines of code above and below the one that is asked about
STYLE = """
body { font: 11pt/1.4 "DejaVu Sans", Verdana, sans-serif; max-width: 46rem; margin: 2rem auto;
       padding: 0 1rem; color: #111; background: #fff }
h1 { font-size: 1.3rem } h2 { font-size: 1rem; margin: 1.6rem 0 .4rem }
pre { background: #f3f3f3; padding: .5rem; overflow-x: auto; font-size: 9pt; line-height: 1.3 }
pre b { background: #ffe9a8; font-weight: normal }
section { break-inside: avoid } .key { border-left: 4px solid #1a6f3c; padding-left: .6rem }
p, ol { margin: .4rem 0 } .small { color: #444; font-size: 9.5pt }
"""


def html(submission: Submission, asked: Sequence[Asked]) -> bytes:
    """The page as HTML; it holds the keys."""
    parts = [
        Markup("<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{}</title>"
               "<meta name='viewport' content='width=device-width'><style>{}</style></head><body>"
               "<h1>{}</h1><p class='small'>{}</p>").format(
            _title(submission), Markup(STYLE), _title(submission), INTRODUCTION
        )
    ]  # fmt: skip
    for number, each in enumerate(asked, 1):
        question, key = each.question, each.key
        parts.append(Markup("<section><h2>{}. Part {}, {}:{}</h2>").format(
            number, question.part, question.file, question.line))  # fmt: skip
        lines = [
            Markup("<b>{}</b>").format(line) if here else Markup.escape(line)
            for line, here in _code(submission, each)
        ]
        parts.append(Markup("<pre>{}</pre>").format(Markup("\n").join(lines)))
        parts.append(Markup("<p>{}</p>").format(question.text))
        if not question.typed:
            options = Markup("").join(Markup("<li>{}</li>").format(o) for o in question.options)
            parts.append(Markup("<ol type='a'>{}</ol>").format(options))
        parts.append(Markup("<div class='key'><p><strong>{}</strong></p><p>{}</p>").format(
            key.answer, key.why))  # fmt: skip
        parts += [
            Markup("<p class='small'>{}: {}</p>").format(option, why)
            for option, why in key.mistakes.items()
        ]
        parts.append(Markup("</div></section>"))
    parts.append(Markup("</body></html>\n"))
    return Markup("").join(parts).encode()


def pdf(submission: Submission, asked: Sequence[Asked]) -> bytes:
    """The page as PDF. Raises ImportError where typst is not installed."""
    import typst

    def text(words: str) -> str:
        """A string of typst, in which nothing is markup."""
        return "#" + json.dumps(words, ensure_ascii=False)

    lines = [
        "#set page(paper: \"a4\", margin: 1.8cm, numbering: \"1\")",
        "#set text(size: 10pt)",
        f"= {text(_title(submission))}",
        text(INTRODUCTION),
    ]  # fmt: skip
    for number, each in enumerate(asked, 1):
        question, key = each.question, each.key
        heading = f"{number}. Part {question.part}, {question.file}:{question.line}"
        code = "\n".join(f"{'>' if here else ' '} {line}" for line, here in _code(submission, each))
        answers = "" if question.typed else " / ".join(question.options)
        mistakes = [f"{option}: {why}" for option, why in key.mistakes.items()]
        lines += [
            "#block(breakable: false)[",
            f"== {text(heading)}",
            f"#text(size: 8pt)[#raw({json.dumps(code, ensure_ascii=False)}, block: true)]",
            text(question.text),
            "",
            text(answers) if answers else "",
            "",
            f"*Key:* {text(key.answer)}. {text(key.why)}",
            "",
            *(f"#text(size: 8pt)[{text(mistake)}] \\" for mistake in mistakes),
            "]",
        ]
    return bytes(typst.compile("\n".join(lines).encode()))


INTRODUCTION = (
    "For who asks: five minutes, three of these questions. Let the student say how they find the "
    "answer; a good one names what the explanation names. What a wrong answer forgot stands below "
    "each key. All keys come from runs of this very file."
)


def _title(submission: Submission) -> str:
    return f"{submission.lab.id}, {submission.lab.title}: {submission.shown}"


def _code(submission: Submission, asked: Asked) -> list[tuple[str, bool]]:
    """The lines around the one that is asked about, with their numbers; is it that one?"""
    question = asked.question
    name = next((n for n in submission.contents if submission.path(n) == question.file), "")
    lines = submission.text(name).splitlines()
    first, last = max(question.line - AROUND, 1), min(question.line + AROUND, len(lines))
    return [
        (f"{number:4}  {lines[number - 1]}", number == question.line)
        for number in range(first, last + 1)
    ]
