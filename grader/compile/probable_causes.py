"""What the compiler warned of that may be why a program is wrong, in the words of C and CUDA.

A warning that is in no entry of the catalogue is no cause: most right programs have some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice, pairwise, takewhile

from grader.compile.compiler_messages import Diagnostic
from grader.model import plain_text
from grader.model.lab import Lab
from grader.model.submission import Submission
from grader.source import code
from grader.source.tree import descend, levels, parse, text_of

MOST, MOST_READ = 5, 200  # that are shown, and warnings that are read
MOST_BYTES, DEEPEST = 200_000, 100  # of a file whose loops are looked at, and its nesting
CERTAIN = ("no-value", "no-address", "unknown-pragmas")  # each is an error where one fails
ALLOCATE = re.compile(r"cudaMalloc(Host|Managed|Async|Pitch)?|cudaHostAlloc")
# Kinds after which a program may crash.
CRASH = frozenset(
    [
        *("return-type", "uninitialized", "maybe-uninitialized", "array-bounds", "div-by-zero"),
        *("return-local-addr", "int-conversion", "incompatible-pointer-types", "use-after-free"),
        *("infinite-recursion", *CERTAIN),
    ]
)
_NAMED = re.compile(r"(?P<text>.*) \[-W(?P<flag>[\w+-]+)=?\]$")
# By the name of the warning: what g++ says, and what that means. {f}: the function around it.
_GCC: dict[str, tuple[tuple[str, str], ...]] = {
    "return-type": (
        (r"control reaches end|no return statement", "{f}() can reach its end without `return`"),
        (r".return. with no value", "{f}() has a `return` without a value"),
    ),
    "parentheses": (
        (r"suggest parentheses around assignment", "`=` in a condition assigns; `==` compares"),
        (
            r"suggest parentheses around .([-+]). inside .(<<|>>).",
            "`{1}` is computed before `{2}`: a {1} b {2} c is (a {1} b) {2} c",
        ),
        (
            r"suggest parentheses around arithmetic in operand of .([&|^]).",
            "`+` and `-` are computed before `{1}`: put brackets around the operands of `{1}`",
        ),
        (
            r"suggest parentheses around comparison in operand of .([&|^]|[=!]=).",
            "the comparison is computed first, and `{1}` has its result, 0 or 1, as an operand",
        ),
        (
            r"comparisons like .X",
            "a < b < c compares the result of a < b, 0 or 1, with c: write a < b && b < c",
        ),
    ),
    "uninitialized": ((r"‘(.+)’ is used uninit", "`{1}` is used before it has a value"),),
    "maybe-uninitialized": (
        (r"‘(.+)’ may be used uninit", "`{1}` may be used before it has a value"),
    ),
    "unused-but-set-variable": (
        (r"variable ‘(.+)’ set but", "`{1}` gets a value that nothing uses"),
    ),
    "unused-variable": ((r"unused variable ‘(.+)’", "`{1}` gets a value that nothing uses"),),
    "overflow": (
        (
            r"integer overflow in expression of type ‘(.+?)’",
            "the result does not fit in its type, `{1}`",
        ),
        (
            r".*conversion from .* to ‘([^’]+)’.* changes value from ‘(.+?)’ to ‘(.+?)’",
            "{2} does not fit in `{1}`: it becomes {3}",
        ),
        (r"floating constant exceeds", "this constant is too large for its type"),
    ),
    "shift-count-overflow": (
        (r"", "a shift by as many bits as the type has, or more, is undefined"),
    ),
    "shift-count-negative": ((r"", "a shift by a negative number of bits is undefined"),),
    "type-limits": (
        (
            r"comparison of unsigned expression in .* is always (true|false)",
            "an unsigned number is never negative: this comparison is always {1}",
        ),
        (r"comparison is always (true|false)", "by the type, this comparison is always {1}"),
    ),
    "bool-compare": (
        (r".*always (true|false)", "it compares a result of 0 or 1: that is always {1}"),
    ),
    "tautological-compare": ((r".*always evaluates to (true|false)", "it is always {1}"),),
    "logical-not-parentheses": (
        (r"", "`!` applies only to what is left of the comparison: write !(a == b)"),
    ),
    "empty-body": ((r"suggest braces around empty body in an .(if|else).", "{semicolon}"),),
    "unused-value": (
        (r"statement has no effect", "this statement has no effect"),
        (r"left operand of comma", "the value on the left of the `,` is not used"),
    ),
    "sizeof-pointer-div": ((r"", "sizeof a pointer is 8 bytes, not the size of the array"),),
    "sizeof-pointer-memaccess": ((r"", "sizeof a pointer is 8 bytes, not the size of the array"),),
    "sizeof-array-argument": (
        (r"", "an array as a parameter is a pointer: its sizeof is 8 bytes"),
    ),
    "div-by-zero": ((r"", "an integer is divided by 0"),),
    "dangling-else": ((r"", "the `else` belongs to the `if` right before it: use braces"),),
    "sequence-point": (
        (r"operation on ‘(.+)’", "`{1}` is changed and used in one expression, in no fixed order"),
    ),
    "return-local-addr": (
        (r"address of local variable ‘(.+)’", "{f}() returns the address of its local `{1}`"),
    ),
    "array-bounds": (
        (r"array subscript .* (?:above|below|outside)", "the index is outside of the array"),
    ),
    "memset-transposed-args": ((r"", "memset(p, value, bytes): here the number of bytes is 0"),),
    "implicit-fallthrough": (
        (r"", "this `case` continues into the next one: is a `break` missing?"),
    ),
    "infinite-recursion": ((r"", "{f}() calls itself without end"),),
    "incompatible-pointer-types": (
        (r"passing argument (\d+) of ‘(.+?)’", "argument {1} of {2}() is a wrong kind of pointer"),
        (r"", "the two pointers point to different types"),
    ),
    "int-conversion": (
        (r".*makes integer from pointer", "an integer gets the value of a pointer"),
        (r".*makes pointer from integer", "a pointer gets the value of an integer"),
    ),
    "use-after-free": ((r"pointer ‘(.+?)’ used after", "`{1}` is used after free()"),),
}
# The same by nvcc's numbers, in the words of g++'s, so that none is said twice.
_NVCC = {
    "940": (r"", "return-type", "{f}() can reach its end without `return`"),
    "549": (
        r'variable "(.+)" is used',
        "uninitialized",
        "`{1}` is used before it has a value",
    ),
    "61": (r"", "overflow", "the result does not fit in its type"),
    "63": (r"", "shift-count-overflow", _GCC["shift-count-overflow"][0][1]),
    "62": (r"", "shift-count-negative", _GCC["shift-count-negative"][0][1]),
    "69": (r"", "overflow", "the value does not fit in its new type"),
    "186": (
        r"",
        "type-limits",
        "an unsigned number is never negative: this comparison with 0 has only one result",
    ),
    "187": (r"", "parentheses", _GCC["parentheses"][0][1]),
    "39": (r"", "div-by-zero", _GCC["div-by-zero"][0][1]),
    "174": (r"", "unused-value", "this statement has no effect"),
    "1056": (r"", "return-local-addr", "{f}() returns the address of a local variable"),
    "175": (r"", "array-bounds", "the index is outside of the array"),
}
_NVCC_WARNING = re.compile(
    r"^(?P<file>.+)\((?P<line>\d{1,9})\): warning #(?P<n>\d+)-D: (?P<text>.*)$"
)
PRAGMAS = ("omp", "unroll", "nounroll")
ALIKE = 0.66  # as difflib measures: opm and omp
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+(\w+)", re.MULTILINE)
SEMICOLON = "the `;` after `{word} (...)` ends the {what}: what follows runs {when}"
_ENDED = {
    "for": ("loop", "once, after it"),
    "while": ("loop", "once, after it"),
    "if": ("`if`", "always"),
    "else": ("`else`", "always"),
}


@dataclass(frozen=True)
class Cause:
    """A likely reason, in one of the student's files. kind: the name of the warning, without -W.
    function: the one around it; "" outside of all."""

    file: str
    line: int
    kind: str
    function: str
    text: str
    many: bool = False  # are there several files?

    def where(self) -> str:
        return f"{self.file}, line {self.line}" if self.many else f"line {self.line}"

    def render(self) -> str:
        return plain_text.line(f"{self.where()}: {self.text}")

    def explains_crash(self, lab: Lab, part: str) -> bool:
        """May it be why the functions of a part crash?"""
        return self.kind in CRASH and self._concerns(lab, part)

    def explains_value(self, lab: Lab, part: str) -> bool:
        """May it be why the functions of a part give wrong values?"""
        return not self.kind.startswith("unused-") and self._concerns(lab, part)

    def _concerns(self, lab: Lab, part: str) -> bool:
        """Is it in a function of the part? One that other parts call is not the part's own."""
        others = {f for p in lab.part if p.id != part for f in p.calls}
        own = {f for p in lab.part if p.id == part for f in p.calls}
        return self.function in own or self.function not in others

    def is_said_by(self, known: Iterable[Cause]) -> bool:
        """Has another compiler warned of it, perhaps at the next line?"""
        return any(
            (self.file, self.kind) == (c.file, c.kind) and abs(self.line - c.line) <= 1
            for c in known
        )


def causes(log: str, diagnostics: list[Diagnostic], submission: Submission) -> list[Cause]:
    """The probable causes among a compiler's messages about a submission, and those that are seen
    in its text; by line, without repetitions."""
    names = {submission.path(name): name for name in submission.contents}
    seen = (_semicolons, _unknown_pragmas, _changed_counters, _private, _no_address)
    found = [cause for look in seen for cause in look(submission)]
    warnings = [d for d in diagnostics if d.file in names and d.severity == "warning"]
    for each in warnings[:MOST_READ]:
        if "sim_" not in each.text:
            found += _of_gcc(each, names[each.file], submission)
    of_nvcc = filter(None, map(_NVCC_WARNING.match, log.splitlines()))
    for warning in islice((w for w in of_nvcc if w["file"] in names), MOST_READ):
        found += _of_nvcc(warning, names[warning["file"]], submission)
    first = {(c.file, c.line, c.kind): c for c in reversed(found)}
    return sorted(first.values(), key=lambda c: (c.file, c.line))


def is_of_gcc(warning: Diagnostic) -> bool:
    """Is it a compiler's own, and not one of the simulator's translator?"""
    return _NAMED.match(warning.text) is not None or warning.text.startswith("#warning")


def _of_gcc(warning: Diagnostic, name: str, submission: Submission) -> Iterator[Cause]:
    named = _NAMED.match(warning.text)
    for pattern, sentence in _GCC.get(named["flag"], ()) if named else ():
        if named and (said := re.match(pattern, named["text"])):
            if named["flag"] == "unused-variable" and not _has_value(warning, said[1], submission):
                return
            yield _cause(submission, name, warning.line, named["flag"], sentence, said.groups())
            return


def _has_value(warning: Diagnostic, variable: str, submission: Submission) -> bool:
    """Does the declaration compute a value? One without may be left from a starter."""
    line = submission.line(warning.file, warning.line)
    return re.search(rf"\b{re.escape(variable)}\s*=\s*[^=\s]", line) is not None


def _of_nvcc(warning: re.Match[str], name: str, submission: Submission) -> Iterator[Cause]:
    if warning["n"] in _NVCC:
        pattern, kind, sentence = _NVCC[warning["n"]]
        said = re.match(pattern, warning["text"])
        groups = said.groups() if said else ()
        yield _cause(submission, name, int(warning["line"]), kind, sentence, groups)


def _cause(
    submission: Submission,
    name: str,
    line: int,
    kind: str,
    sentence: str,
    groups: tuple[str, ...] = (),
) -> Cause:
    read = code.read(submission.text(name))
    around = read.function_at(line)
    function = around.name if around else ""
    if around and kind == "return-type":
        line = read.lines_of(around)[1]  # each compiler names another one
    text = sentence
    if sentence == "{semicolon}":
        text = _semicolon(groups[0])
    else:
        for number, group in enumerate(groups, 1):
            text = text.replace(f"{{{number}}}", group)
        text = text.replace("{f}()", f"{function}()" if function else "this function")
    many = len(submission.contents) > 1
    return Cause(name, line, kind, function, text, many)


# ---- what g++ does not see in a text with #line


def _semicolon(word: str) -> str:
    what, when = _ENDED[word]
    text = SEMICOLON if word != "else" else SEMICOLON.replace(" (...)", "")
    return text.format(word=word, what=what, when=when)


def _semicolons(submission: Submission) -> Iterator[Cause]:
    for name in submission.contents:
        for line, word, _ in ended_heads(submission.text(name)):
            yield _cause(submission, name, line, "empty-body", _semicolon(word))


def _unknown_pragmas(submission: Submission) -> Iterator[Cause]:
    """Those that are nearly `omp` or `unroll`: each compiler has others that mean nothing to it."""
    for name in submission.contents:
        for match in _PRAGMA.finditer(submission.text(name)):
            near = get_close_matches(match[1], PRAGMAS, 1, ALIKE)
            if match[1] not in PRAGMAS and near:
                line = submission.text(name).count("\n", 0, match.start(1)) + 1
                text = f"`#pragma {match[1]}` is unknown, and ignored: write `#pragma {near[0]}`"
                yield _cause(submission, name, line, "unknown-pragmas", text)


def _changed_counters(submission: Submission) -> Iterator[Cause]:
    """Variables that a loop counts up by one, and that its body changes by another value."""
    for name, content in submission.contents.items():
        root = parse(content) if len(content) <= MOST_BYTES else None
        if root is None or len(levels(root, DEEPEST)) > DEEPEST:
            continue
        for loop in (n for n in descend(root) if n.type == "for_statement"):
            step, body = (loop.child_by_field_name(part) for part in ("update", "body"))
            counter = text_of(step.child_by_field_name("argument")) if step else ""
            for node in descend(body) if counter and body else ():
                target = text_of(node.child_by_field_name("left"))
                if node.type == "assignment_expression" and target == counter:
                    head = loop.start_point.row + 1
                    text = f"this changes `{counter}`, which the loop of line {head} counts with"
                    yield _cause(submission, name, node.start_point.row + 1, "loop-counter", text)


@lru_cache(maxsize=8)
def ended_heads(text: str) -> tuple[tuple[int, str, range], ...]:
    """Each `for (...);`, `while (...);` or `if (...);` whose body seems to follow: a block, or a
    line that is indented deeper. Its line, its word, and the tokens between its brackets."""
    read = code.read(text)
    lines = text.splitlines()
    found = []
    for at, token in enumerate(read.tokens):
        if token.text not in ("for", "while", "if") or token.kind != "word":
            continue
        end = read.closing.get(at + 1, len(read.tokens))
        if end + 2 >= len(read.tokens) or read.tokens[end + 1].text != ";":
            continue
        if token.text == "while" and at and read.tokens[at - 1].text == "}":
            continue  # do { } while (...);
        head, after = read.line_of(at), read.line_of(end + 2)
        deeper = _indent(lines[after - 1]) > _indent(lines[head - 1])
        alone = read.line_of(end + 1) == read.line_of(end)
        block = read.tokens[end + 2].text == "{"
        follows = after > read.line_of(end + 1) and deeper and read.tokens[end + 2].text != "}"
        if alone and (block or follows):
            found.append((read.line_of(end + 1), token.text, range(at + 2, end)))
    return tuple(found)


def _indent(line: str) -> int:
    text = line.expandtabs(8)
    return len(text) - len(text.lstrip())


# ---- what no compiler warns of


def _private(submission: Submission) -> Iterator[Cause]:
    """Parameters that are private in a region of OpenMP, which reads them and sets them nowhere."""
    for name in submission.contents:
        read = code.read(submission.text(name))
        for line, words, region in read.pragmas:
            around = read.function_at(line)
            if words[:1] != ["omp"] or "private" not in words or not region or not around:
                continue
            given = read.names(range(around.at + 2, around.body.start))
            inside = [read.tokens[at].text for at in region.inside]
            set_ = {word for word, sign in pairwise(inside) if sign == "="}
            listed = takewhile(")".__ne__, words[words.index("private") + 2 :])
            for own in (w for w in listed if w in given and w in inside and w not in set_):
                text = f"`private({own})` gives each thread a `{own}` of its own, without a value"
                yield _cause(submission, name, line, "no-value", text)


def _no_address(submission: Submission) -> Iterator[Cause]:
    """Allocations that get a pointer, cast to void **, where they need its address."""
    for name in submission.contents:
        read = code.read(submission.text(name))
        words = [token.text for token in read.tokens]
        starred = [i for i in range(2, len(words)) if words[i - 1] == "*"]
        pointers = {words[i] for i in starred} - {words[i] for i in starred if words[i - 2] == "*"}
        for at, word in enumerate(words):
            is_cast = words[at + 1 : at + 7] == ["(", "(", "void", "*", "*", ")"]
            pointer = words[at + 7] if is_cast and at + 7 < len(words) else ""
            if pointer in pointers and pointer.isidentifier() and ALLOCATE.fullmatch(word):
                text = f"{word}() needs the address of `{pointer}`: (void **)&{pointer}"
                yield _cause(submission, name, read.line_of(at), "no-address", text)
