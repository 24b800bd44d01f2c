"""The loads and stores that a line in C writes down, so that a question can name one."""

import re
from collections.abc import Iterator

from grader.source.code import Code

_VECTORS = re.compile(r"_mm\d*_\w*(?:load|lddqu|store|stream|gather)\w*")
_COMPARE = {"==", "<=", ">=", "!="}
_BEFORE_VALUE = {"=", "(", ",", "return", "?", ":", "+", "-", "&&", "||", "!", ";", "{", "}"}


def only_access(code: Code, line: int, store: bool) -> str:
    """What a question calls the one load, or store, of a line, such as "the store to grey[...]"; ""
    where there is none, or several: nobody knows which is meant then."""
    found = [name for name, stores in _accesses(code, code.between(line, line)) if stores == store]
    way = "store" if store else "load"
    name = found[0] if len(found) == 1 else ""
    return name and f"the {way} {'by' if name.endswith('()') else 'to' if store else 'from'} {name}"


def _accesses(code: Code, inside: range) -> Iterator[tuple[str, bool]]:
    """The name of each access, and whether it stores; what is added to is loaded, too."""
    for call in code.calls(_VECTORS, inside):
        yield f"{call.name}()", "store" in call.name or "stream" in call.name
    ends = [(f"{a.name}[...]", a.last) for a in code.indexed(inside)]
    ends += [(f"*{code.tokens[at + 1].text}", at + 1) for at in inside[:-1] if _points(code, at)]
    for name, last in ends:
        behind = code.tokens[last + 1].text if last + 1 < len(code.tokens) else ""
        stores = behind in ("=", "++", "--") or (behind.endswith("=") and behind not in _COMPARE)
        if stores:
            yield name, True
        if behind != "=":
            yield name, False


def _points(code: Code, at: int) -> bool:
    """Is the token the * of *pointer?"""
    before = code.tokens[at - 1].text if at else ";"
    is_star = code.tokens[at].text == "*" and code.tokens[at + 1].kind == "word"
    return is_star and (before in _BEFORE_VALUE or before.endswith("="))
