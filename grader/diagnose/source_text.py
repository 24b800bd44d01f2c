"""Mistakes that the text of the student's file shows, where an output alone does not."""

import re
from itertools import pairwise

from grader.diagnose.mistake import Diagnosis
from grader.model.finding import Finding

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_SET = re.compile(r"\b(?P<call>_mm(?:256)?)_set_(?P<kind>epi8|epi16|epi32)\s*\((?P<list>[^()]*)\)")
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp[ \t]+parallel\b(?P<rest>[^\n]*)", re.MULTILINE)
_DIVIDES = re.compile(
    r"#[ \t]*pragma[ \t]+omp[ \t]+(?:for|sections|single|task|master|masked|loop)|"
    r"\bomp_get_thread_num\b"
)
_COPY = re.compile(
    r"\bcudaMemcpyToSymbol\w*\s*\(\s*c_(?P<to>row|column)\s*,\s*(?:h_)?(?P<source>row|col(?:umn)?)\b"
)
_LOOP = re.compile(
    r"^(?P<unroll>[ \t]*#[ \t]*pragma[ \t]+unroll(?![ \t(]+1\b)[^\n]*\n\s*)?[^\n#]*?\bfor(?=\s*\()",
    re.MULTILINE,
)
_FUNCTION = re.compile(r"^(?!else\b)\w[^;{}=]*?\b(\w+)\s*\([^;{}]*\)\s*\{", re.MULTILINE)
FEW = 3  # indices; the order of fewer may be chance


def without_comments(source: str) -> str:
    """The source with spaces in place of comments, so that every line keeps its number."""
    return _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)


def reversed_indices(source: str) -> Diagnosis | None:
    """A list of byte indices that _mm_set_epi8() puts into the register from its end."""
    text = without_comments(source)
    for match in _SET.finditer(text):
        indices = [int(word) for word in re.findall(r"(?<![\w.-])\d+\b", match["list"])]
        if len(indices) >= FEW and all(a < b for a, b in pairwise(indices)):
            name = f"{match['call']}_set_{match['kind']}"
            line = text.count("\n", 0, match.start()) + 1
            return Diagnosis(
                "set-not-setr",
                f"line {line}: the first argument of {name}() is the highest element of the "
                f"register, and yours begin with the lowest: use "
                f"{match['call']}_setr_{match['kind']}(), which takes the lowest first",
            )
    return None


def short_bound(source: str) -> tuple[int, str] | None:
    """The line of a test that leaves out the last column or row, and the test."""
    text = without_comments(source)
    test = re.search(r"<[ \t]*(?:width|height)[ \t]*-[ \t]*1\b", text)
    return (text.count("\n", 0, test.start()) + 1, test[0]) if test else None


def exchanged_lines(source: str) -> Diagnosis | None:
    """The row of taps copied to the constant array of the column, or the column to the row's."""
    text = without_comments(source)
    for match in _COPY.finditer(text):
        if (match["to"] == "row") == match["source"].startswith("row"):
            continue
        line = text.count("\n", 0, match.start()) + 1
        return Diagnosis(
            "lines-exchanged",
            f"line {line}: c_{match['to']} gets the coefficients of the other pass: copy h_row to "
            "c_row and h_column to c_column",
        )
    return None


def undivided_loop(source: str, line: int) -> Diagnosis | None:
    """A `#pragma omp parallel` without `for` above that line: every thread runs the whole loop."""
    text = without_comments(source)
    for match in _PRAGMA.finditer(text):
        if re.match(r"[^\n]*\b(for|sections|loop)\b", match["rest"]):
            continue
        first = text.count("\n", 0, match.start()) + 1
        end = _end_of_statement(text, match.end())
        body = text[match.end() : end]
        last = text.count("\n", 0, end) + 1
        has_loop = re.search(r"\bfor\s*\(", body) is not None
        if (
            has_loop
            and not _DIVIDES.search(body)
            and (first < line <= last or _calls(text, body, line))
        ):
            return Diagnosis(
                "parallel-without-for",
                f"line {first}: after `#pragma omp parallel` every thread runs all iterations of "
                "the loop; write `#pragma omp parallel for`, which divides them among the threads",
            )
    return None


def rolled_loop(source: str, line: int) -> int | None:
    """The line of the innermost loop around that line above which stands no `#pragma unroll`."""
    text = without_comments(source)
    found = None
    for match in _LOOP.finditer(text):
        first = text.count("\n", 0, match.end()) + 1
        last = first + text.count("\n", match.end(), _end_of_statement(text, match.end()))
        if first <= line <= last and not match["unroll"]:
            found = first
    return found


def missing_barrier(source: str, race: Finding) -> str:
    """What to add where two threads of a block use the same shared memory, as the file shows it;
    "" for any other finding."""
    if race.kind != "shared-race" or not race.other_thread or not race.line:
        return ""
    lines = {race.line, race.other_line or race.line}
    first, last = min(lines), max(lines)
    if race.verb == race.other_verb:
        where = f"at line {first}" if first == last else f"at lines {first} and {last}"
        is_row = race.verb == "write" and race.object is not None and race.object.columns > 0
        beyond = "; or is an index larger than its row, and reaches the next one?" if is_row else ""
        return (
            f"two threads write one element {where}: give each thread elements of its own, or "
            f"wait with __syncthreads() between the two{beyond}"
        )
    if first == last:
        return (
            f"line {first} reads what another thread writes there: read into a variable, wait with "
            "__syncthreads(), then write, and wait again"
        )
    text = without_comments(source)
    functions = [(m[1], text.count("\n", 0, m.start()) + 1) for m in _FUNCTION.finditer(text)]
    holder = {n: [f for f in functions if f[1] <= n][-1:] for n in (first, last)}
    if holder[first] and holder[last] and holder[first] != holder[last]:
        (name, _), (_, start) = holder[first][0], holder[last][0]
        below = enumerate(text.splitlines()[start:], start + 1)
        calls = [n for n, line in below if re.search(rf"\b{name}\s*\(", line)]
        if not calls:
            return f"add __syncthreads() between what lines {first} and {last} do"
        first, last = sorted((last, min((n for n in calls if n > last), default=calls[-1])))
    between = text.splitlines()[first:last]
    if any(re.search(r"\bsync\w*\s*\(|\b__sync", line) for line in between):
        return (
            f"a barrier stands between lines {first} and {last}, but in a loop the next round "
            f"begins while other threads are still at line {last}: add __syncthreads() after it, "
            "at the end of the loop"
        )
    return f"add __syncthreads() between lines {first} and {last}, where all threads come by"


def _calls(text: str, body: str, line: int) -> bool:
    """May `body` call the function that holds that line? It does if it names the function, or calls
    through a pointer, whose name is no function of this file."""
    names = set(re.findall(r"\b(\w+)\s*\(", body)) - {"for", "if", "while", "switch", "sizeof"}
    defined = [
        (match[1], text.count("\n", 0, match.start()) + 1)
        for match in re.finditer(r"^[\w ].*?\b(\w+)\s*\([^;{}()]*\)\s*\{", text, re.MULTILINE)
    ]
    holder = [name for name, first in defined if first <= line]
    return bool(holder) and (holder[-1] in names or bool(names - {name for name, _ in defined}))


def _end_of_statement(text: str, start: int) -> int:
    """Where the statement that begins at `start` ends: at a brace that closes its first one, or at
    the first semicolon outside of parentheses."""
    depth, brackets = 0, 0
    for at in range(start, len(text)):
        mark = text[at]
        brackets += (mark in "([") - (mark in ")]")
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth <= 0:
                return at + 1
        elif mark == ";" and depth == 0 and brackets == 0:
            return at + 1
    return len(text)
