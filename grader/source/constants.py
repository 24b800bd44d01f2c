"""The names that a file gives to constants: enumerators, macros and constant variables."""

from collections.abc import Iterator
from dataclasses import dataclass

from grader.source import brackets
from grader.source.code import Code

_TYPES = {"const", "constexpr", "static", "inline", "unsigned", "int", "size_t", "long"}


@dataclass(frozen=True)
class Constant:
    """A name, and the text of its value with its place."""

    name: str
    value: str
    start: int
    end: int


def constants(code: Code) -> Iterator[Constant]:
    """Enumerators with a value, then macros without parameters, then variables of a whole number's
    type, each in order."""
    words = list(enumerate(token.text for token in code.tokens))
    for at, word in words:
        if word == "enum":
            yield from _enumerators(code, at)
    for directive in code.directives:
        name, *value = directive.words[:1], *directive.words[1:]
        if directive.name == "define" and value and value[0].start > name[0].end:
            yield _constant(code, name[0].text, value[0].start, value[-1].end)
    for at, word in words:
        if word == "=" and _is_constant(code, at):
            end = at + 1
            while end < len(words) and words[end][1] not in (";", ",", "{", "}"):
                end = code.closing.get(end, end) + 1
            if end > at + 1:
                yield _constant(
                    code, words[at - 1][1], code.tokens[at + 1].start, code.tokens[end - 1].end
                )


def _enumerators(code: Code, at: int) -> Iterator[Constant]:
    while at < len(code.tokens) and code.tokens[at].text not in ("{", ";", "(", ")"):
        at += 1
    if at in code.closing and code.tokens[at].text == "{":
        for start, end in brackets.arguments(code.tokens, code.closing, at):
            name, equals, value = code.plain[start:end].partition("=")
            if equals and value.strip():
                yield _constant(code, name.strip(), start + len(name) + 1, end)


def _constant(code: Code, name: str, start: int, end: int) -> Constant:
    text = code.plain[start:end]
    start += len(text) - len(text.lstrip())
    value = text.strip()
    return Constant(name, value.replace("\\\n", " "), start, start + len(value))


def _is_constant(code: Code, equals: int) -> bool:
    """Is it the sign between a constant variable's name and its value?"""
    at, types = equals - 2, set()
    while at >= 0 and code.tokens[at].text in _TYPES:
        types.add(code.tokens[at].text)
        at -= 1
    is_first = at < 0 or code.tokens[at].text in (";", "{", "}", ")", ":")
    return bool(types & {"const", "constexpr"}) and len(types) > 1 and is_first
