"""Refuses a part that runs a baseline, a lab's version to beat, under another name: what the course
gives earns nothing.

Compared are whole functions, token by token but for the names of functions; nobody writes as many
tokens in the same words by chance. A part is refused where all that it runs of this size is given:
one of several functions may be taken over, as lab 6 asks for, and a directive in one is one's own,
as in lab 8.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache

from grader import paths
from grader.compile.permitted.source_check import Refusal
from grader.model.lab import Lab
from grader.source.code import Code, read
from grader.source.functions import Function

FEWEST = 40  # tokens of a function that is compared
FUNCTION = "()"  # in place of the name of a function of the file

Tokens = tuple[str, ...]


def check_given(name: str, source: str, lab: Lab) -> Iterator[Refusal]:
    """What is refused of a submitted file: the first given function of each such part."""
    code = read(source)
    functions = {function.name: function for function in code.functions}
    for part in lab.part:
        reached = _reached(code, functions, part.calls)
        long = [each for each in reached if len(each.body) >= FEWEST]
        places = [_given().get(_tokens(code, functions, each), "") for each in long]
        if long and all(places):
            longest = max(long, key=lambda each: len(each.body))
            place = places[long.index(longest)]
            text = f"part {part.id} runs {longest.name}(), which is {place}"
            line = code.line_of(longest.at)
            yield Refusal(name, line, f"{text} and nothing more: the part asks for your own code")


def _reached(code: Code, functions: dict[str, Function], calls: list[str]) -> list[Function]:
    """The functions of a file that these names lead to, in the order of the file."""
    names, left = set(), [name for name in calls if name in functions]
    while left:
        name = left.pop()
        if name not in names:
            names.add(name)
            left += code.names(functions[name].body) & functions.keys()
    return [each for name, each in functions.items() if name in names]


def _tokens(code: Code, functions: dict[str, Function], function: Function) -> Tokens:
    inside = function.body
    words = [code.tokens[at].text for at in inside]
    first = bisect_left(code.directives, inside.start, key=lambda each: each.at)
    last = bisect_right(code.directives, inside.stop, key=lambda each: each.at)
    for directive in code.directives[first:last]:
        words += [directive.name, *directive.said()]
    return tuple(FUNCTION if word in functions else word for word in words)


@cache
def _given() -> dict[Tokens, str]:
    """The place of each function of the course's baselines, by its tokens."""
    found = {}
    for file in sorted(paths.LABS.glob("lab*_*/baseline.c*")):
        code = read(file.read_text())
        functions = {function.name: function for function in code.functions}
        for each in functions.values():
            place = f"{each.name}() of {file.relative_to(paths.ROOT)}:{code.line_of(each.at)}"
            found[_tokens(code, functions, each)] = place
    return found
