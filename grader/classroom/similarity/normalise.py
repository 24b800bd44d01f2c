"""A file as normalized tokens: what stays the same when a copy is disguised.

Each function is a segment of its own, so their order does not count. Comments, types, casts,
redundant brackets, prototypes and `(void)x;` are left out. Loops of every kind become one form,
with the step at the end of the body; `i++`, `++i`, `i += 1` and `i = i + 1` become one; `a > b`
becomes `b < a`; the operands of commutative operators are sorted; declarations with a value become
assignments; named constants become numbers. CUDA's names, qualifiers, launches and pragmas stay.
"""

from dataclasses import dataclass, field

from grader.classroom.similarity.names import Names
from grader.classroom.similarity.syntax import MOST_DEPTH, SILENT, STUDENT, Token, survey
from grader.classroom.similarity.walker import Walker
from grader.source import lexer
from grader.source.tree import parse

MOST_BYTES = 1 << 17


@dataclass
class Normalised:
    """A file's segments of tokens, and why it could not be read as a program, if so."""

    segments: list[list[Token]] = field(default_factory=list)
    problem: str = ""


def normalise(source: bytes, fixed: Names | None = None) -> Normalised:
    """The tokens of a file. Never raises: a file that is no program has no tokens, or the words
    that it is made of. `fixed`: what the lab's header declares."""
    if len(source) > MOST_BYTES:
        return Normalised(problem=f"{len(source)} bytes; more than {MOST_BYTES} are not compared")
    problem = ""
    try:
        source.decode()
    except UnicodeDecodeError:
        problem = "not UTF-8: compared as far as it is"
    if b"\0" in source:
        problem = "contains a NUL byte: compared with a space in its place"
        source = source.replace(b"\0", b" ")
    root = parse(source)
    depth, naming = survey(root)
    if depth > MOST_DEPTH:
        return Normalised([_words(source)], f"nested over {MOST_DEPTH} deep: compared word by word")
    walker = Walker(fixed.copy() if fixed else Names())
    walker.learn(naming)
    walker.top(root)
    segments = [segment for segment in walker.segments if segment]
    if not segments and not problem:
        problem = "no code: nothing to compare"
    return Normalised(segments, problem)


def _words(source: bytes) -> list[Token]:
    """The words of a file that is nested too deep to be walked."""
    found, row, end = [], 0, 0
    text = source.decode(errors="replace")
    for kind, word, start, *_ in lexer.tokens(text):
        row += text.count("\n", end, start)
        end = start
        if kind != "comment" and word not in SILENT:
            found.append(Token(STUDENT, row, word) if kind == "word" else Token(word, row))
    return found
