"""What an instruction of x86-64 does, by its name in assembly: the table is x86.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

PREFIXES = (
    r"(?:(?:lock|rep\w*|xacquire|xrelease|notrack|bnd|data16|rex\.\w+|addr32|[c-gs]s)[; \t]+)*"
)
INSTRUCTION = re.compile(
    rf"{PREFIXES}(?:\{{\w+\}} )?(?P<word>[a-z]\w*|\(bad\))[ \t]*(?P<operands>.*)"
)
_BRACES = re.compile(r"\{([^}]*)\}")
_VECTORS = {"x": 16, "y": 32, "z": 64}  # bytes of %xmm, %ymm and %zmm, and of names that end so
_VECTOR = re.compile(r"%([xyz])mm")
_SIZES = {
    "general": {"b": 1, "w": 2, "l": 4, "q": 8},
    "x87": {"s": 4, "l": 8, "t": 10},
    "x87-integer": {"s": 2, "l": 4, "q": 8, "ll": 8},
}
_PREDICATE = re.compile(  # of a comparison, which names may hold
    r"(?<=cmp)(?:eq|lt|le|unord|neq|nlt|nle|ord|nge|ngt|false|ge|gt|true)(?:_(?:[ou][qs]|s))?(?=[ps][dhs]$)"
    r"|(?<=vpcmp)(?:lt|le|neq|nlt|nle|eq)(?=u?[bdqw]$)|(?<=pclmul)[lh]q[lh](?=qdq$)"
)
_REGISTERS = (
    (8, re.compile(r"%(?:r[a-d]x|r[sd]i|r[sb]p|r\d+)(?!\w)")),
    (4, re.compile(r"%(?:e\w\w|r\d+d)(?!\w)")),
    (2, re.compile(r"%(?:[a-d]x|[sd]i|[sb]p|r\d+w)(?!\w)")),
    (1, re.compile(r"%(?:[a-d][lh]|[sd]il|[sb]pl|r\d+b)(?!\w)")),
)


class Instruction(NamedTuple):
    """One row. access: "", "none", "reads" or "writes"; bytes: a number, or what it is a multiple
    of; lane: bytes, 0 if no mask chooses; size: what the name says behind its row's name."""

    access: str
    bytes: int | str
    lane: int
    size: str = ""

    def stores(self, is_last: bool) -> bool:
        """Does it write its operand in memory, which is the last one, or is not?"""
        return self.access == "writes" or (self.access == "" and is_last)

    def width(self, operands: str) -> int:
        """How many bytes it accesses in memory, at most. operands: without a mask."""
        if isinstance(self.bytes, int):
            return self.bytes
        if self.size and self.bytes in _SIZES:
            return _SIZES[self.bytes][self.size]
        outside = re.sub(r"\([^)]*\)", "", operands)
        if self.bytes == "general":
            named = (width for width, register in _REGISTERS if register.search(outside))
            return max(named, default=8)
        if self.size in _VECTORS:
            return _VECTORS[self.size]
        widest = max((_VECTORS[letter] for letter in _VECTOR.findall(outside)), default=8)
        _, times, number = self.bytes.partition("*")
        _, divided, divisor = self.bytes.partition("/")
        widest = widest * int(number) if times else widest // int(divisor) if divided else widest
        broadcast = re.search(r"\{1to(\d+)\}", operands)
        return widest // int(broadcast[1]) if broadcast else widest


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text())


def _spelt(name: str) -> list[str]:
    """The names that one with braces stands for."""
    parts = _BRACES.split(name)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*choices)]


@cache
def rows() -> dict[str, Instruction]:
    """All names of the table."""
    return {
        name: Instruction(row.get("access", ""), row.get("bytes", 0), row.get("lane", 0))
        for row in _table()["class"]
        for names in row["names"].split()
        for name in (_spelt(names) if "{" in names else (names,))
    }


@cache
def _name_and_size(word: str) -> tuple[str, str]:
    """The table's name, and the letter for the size behind it; ("", "") if it is not there."""
    for name in (word, _PREDICATE.sub("", word)):
        if name in rows():
            return name, ""
    for letters in (1, 2):
        name, size = word[:-letters], word[-letters:]
        row = rows().get(name)
        if row and size in _sizes_of(name, row):
            return name, size
    return "", ""


def _sizes_of(name: str, row: Instruction) -> Container[str]:
    """The letters for the size that may follow a name."""
    if row.bytes in _SIZES or row.access == "none" or name.endswith("si"):  # vcvttss2sil
        return _SIZES.get(str(row.bytes), _SIZES["general"])
    return _VECTORS if name.startswith(("vcvt", "vfpclass")) else ""


@cache
def find(word: str) -> Instruction | None:
    """What the table says of an instruction, without its prefixes; None if it is not there."""
    name, size = _name_and_size(word)
    if not name:
        return None
    return rows()[name]._replace(size=size)


def multiplies(word: str) -> bool:
    return _pattern("products").fullmatch(_name_and_size(word)[0]) is not None


def is_newer(word: str) -> bool:
    """Is it newer than SSSE3: of SSE4, AVX, BMI, AES or another extension?"""
    name, _ = _name_and_size(word)
    return name.startswith(("v", "k")) or name in _newer()


@cache
def _newer() -> frozenset[str]:
    return frozenset(name for names in _table()["newer"].split() for name in _spelt(names))


@cache
def _pattern(key: str) -> re.Pattern[str]:
    return re.compile(_table()[key].replace("\n", ""))
