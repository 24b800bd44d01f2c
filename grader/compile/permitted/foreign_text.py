"""Refuses what a submission's macros write into the text of headers: assembly, attributes and the
like that source_check.py refuses in a submission, where the headers' own files do not have them.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import dropwhile
from pathlib import Path

from grader import paths
from grader.compile.permitted import own_text, source_check
from grader.compile.permitted.source_check import Refusal
from grader.source import lexer

INCLUDES = re.compile(rb"include|import")
DEFINE = re.compile(rb"define(?!d\b)")
# A quote right behind a name or a number, as of a raw string, could make the others pair wrongly.
SUSPECT = re.compile(
    rf"""(?P<glued>(?<![\w$.])(?!(?:u8|[uUL])["'])[\w$.]+["'])|(?:u8|[uUL])?(?:{lexer.TEXT})
    |(?P<pragma>^[ \t]*\#[^\n]*)|(?P<attribute>\b__attribute(?:__)?\b|(?:\[|<:)\s*(?:\[|<:))
    |(?P<assembly>\b(?:asm|__asm__|__asm)\b)
    |(?P<name>(?<![\w$])(?:{source_check.BUILTIN.pattern}|{source_check.RESERVED.pattern})(?![\w$]))
    """,
    re.MULTILINE | re.VERBOSE,
)
MOST = 1 << 14  # characters of one asm statement, or of one list of attributes
LABEL = re.compile(r'\)\w+\((?:"")*"(\w+)"\)')  # asm that only names the function that is declared
COMMENT = re.compile(rf"(?P<text>{lexer.TEXT})|/\*.*?\*/|//[^\n]*|\\\n", re.DOTALL)
SPACE = re.compile(rf"(?P<text>{lexer.TEXT})|(?:(?P<line>\n)|\s)\s*(?=#)|\s+")
WORD = re.compile(r"[A-Za-z_]\w*")
STRING = re.compile(r'(?<!\n)#\w+|"(?:[^"\\\n]|\\.)*"')  # `#` of a macro makes a string


def check_foreign(
    name: str, source: bytes, preprocessed: bytes, owner: Callable[[str], str | None]
) -> list[Refusal]:
    """What is refused of the headers' text in a preprocessed file, once for each #include, with its
    line. name, source: of the submitted file. owner: as for own_text()."""
    source = source_check.SPLICE.sub(b"", source_check.as_read(source))
    includes = [match.start() for match in INCLUDES.finditer(source)]
    if not includes or not DEFINE.search(source, 0, includes[-1]):
        return []  # no header sees a macro of the submission
    pieces = list(own_text.pieces(preprocessed, owner))
    headers = {piece.path for piece in pieces if not piece.owner} | _unnamed(preprocessed)
    refusals = []
    entered, text = "", ""
    for piece in dropwhile(lambda piece: piece.owner != name, pieces):
        if not piece.owner:
            entered = entered or piece.path
            text += piece.content.decode(errors="replace") + "\n"
            continue
        for shown, said in _suspects_of(text):
            if not all(any(_says(header, part) for header in headers) for part in said):
                what = f"{Path(entered).name} gets {shown[:60]} from a macro of yours"
                why = f"{what}; put your #defines below the #includes"
                refusals.append(Refusal(piece.owner, max(piece.line - 1, 1), why))
                break
        entered, text = "", ""
    return refusals


@lru_cache(maxsize=1 << 4)  # each build of a submission includes the same headers
def _suspects_of(text: str) -> tuple[tuple[str, list[str]], ...]:
    return tuple(_suspects(text))


def _suspects(text: str) -> Iterator[tuple[str, list[str]]]:
    """What a submission may not contain, each once, and what a header must say of it."""
    seen = set()
    for match in SUSPECT.finditer(text):
        found = match[0]
        if match.lastgroup in ("attribute", "assembly"):
            end = text.find("))", match.start()) + 2
            found = text[match.start() : end]
            if end < 2 or found.count("(") != found.count(")") or '"' in found:
                found = text[match.start() : match.start() + MOST]
            before = text[max(match.start() - 80, 0) : match.start()].rstrip()[-1:]
            found = before + found if match["assembly"] and before == ")" else found
        if match.lastgroup and found not in seen:
            seen.add(found)
            shown, said = _asked(match.lastgroup, found)
            if said:
                yield shown, said


def _asked(kind: str, found: str) -> tuple[str, list[str]]:
    """The text without spaces, and what a header must say of it: a #pragma and a list of
    attributes, whose strings are empty; of assembly its strings, and where it only names the
    function that is declared, the name. Nothing, where a submission may have it."""
    if kind == "pragma":
        said = "".join(found.split())
        return said, [said] if list(source_check.refused_pragma(0, found)) else []
    if kind not in ("attribute", "assembly"):
        return found, [found]
    depth, tokens = int(found[0] == ")"), []
    for token in lexer.preprocessed(found):
        tokens.append((token.lastgroup or "sign", token[0], 0))
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token[0], 0)
        if depth == 0 and len(tokens) > 1 and token[0] in ")];":
            break
    said = "".join(text for _, text, _ in tokens)
    if kind == "attribute":
        return said, [STRING.sub('""', said)] if list(source_check.found(tokens)) else []
    label = LABEL.fullmatch(said)
    strings = [text for kind, text, _ in tokens if kind in ("text", "raw")]
    return said.lstrip(")"), [label[1]] if label else strings


def _unnamed(preprocessed: bytes) -> set[str]:
    """The headers of a precompiled one whose macros write attributes into others."""
    if b"pch_preprocess" not in preprocessed[:MOST]:
        return set()
    wanted = ["sys/cdefs.h", "*/sys/cdefs.h"]
    wanted += ["*/c++/*/bits/c++config.h", "c++/*/*/bits/c++config.h"]
    return {str(file) for name in wanted for file in Path("/usr/include").glob(name)}


@lru_cache(maxsize=1 << 10)
def _text_of(header: str) -> tuple[frozenset[str], str]:
    """The words of a header, and its text without comments and spaces; once more with empty
    strings."""
    try:
        text = (paths.ROOT / header).read_text(errors="replace")
    except OSError:
        return frozenset(), ""
    text = COMMENT.sub(lambda match: match["text"] or " ", text)
    squeezed = SPACE.sub(lambda match: match["text"] or match["line"] or "", text)
    return frozenset(WORD.findall(text)), squeezed + STRING.sub('""', squeezed)


def _says(header: str, said: str) -> bool:
    words, squeezed = _text_of(header)
    return said in words if said.isidentifier() else said in squeezed
