"""The solution, written in other ways: what is as right must lose no point."""

import re
from collections.abc import Iterator

from grader.classroom.audit.cheats import Answer
from grader.source import lexer

BLOCK = re.compile(r"\b(\w*(?:BLOCK|THREADS|TILE)\w*)\s*=\s*(\d+)")
KERNEL = re.compile(r"__global__\s+void\s+(\w+)")
# Whole operands alone: before and behind them is no other operator.
COMPARED = re.compile(
    r"((?:\(|;|&&|\|\||\?|=)\s*)(\w+(?:\.\w+)?) (<=?) (\w+(?:\.\w+)?)(?=[;)]| &&| \|\|| \?)"
)
TURNED = {"<": ">", "<=": ">="}


def of(solved: dict[str, str]) -> Iterator[Answer]:
    """Variants of each file that differ from it. solved: the solutions without markers. One with
    other blocks may be wrong, if the solution depends on their size."""
    for file, text in solved.items():
        for name, other in _written(text):
            if other != text:
                yield Answer(name, "", file, other)


def _written(text: str) -> Iterator[tuple[str, str]]:
    yield "without comments", lexer.without_comments(text, " ")
    yield "kernels with other names", _renamed(text)
    yield "comparisons turned round", COMPARED.sub(_turned, text)
    yield "steps of one written as sums", re.sub(r"\b(\w+)\+\+(?=\))", r"\1 += 1", text)
    for times, name in ((2, "blocks of twice the size"), (0.5, "blocks of half the size")):
        yield name, BLOCK.sub(lambda m, by=times: _sized(m, by), text)  # type: ignore[misc]


def _renamed(text: str) -> str:
    for name in dict.fromkeys(KERNEL.findall(text)):
        text = re.sub(rf"\b{name}\b", f"my_{name}", text)
    return text


def _turned(found: re.Match[str]) -> str:
    return f"{found[1]}{found[4]} {TURNED[found[3]]} {found[2]}"


def _sized(found: re.Match[str], times: float) -> str:
    size = int(int(found[2]) * times)
    return f"{found[1]} = {size if 8 <= size <= 1024 else int(found[2])}"
