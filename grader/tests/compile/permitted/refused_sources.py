"""Files that must be refused before anything of them runs: refused_sources.txt, as a list.

There each begins with a line `=== NAME | WHAT A REFUSAL SAYS`. HERE, in a comment, marks the line
that it must name; a line `f <HEADER>: STATEMENT` stands for that header and a function f() with
that statement, marked, and <NUL>, <CR> and <BOM> for a byte 0, the end of a line in old systems and
UTF-8's mark at the beginning of a file. A file that says "nothing" must be accepted. C files
are compiled as one of lab 1, CUDA files as one of lab 3.
"""

import re
from dataclasses import dataclass
from pathlib import Path

_SOURCE = re.compile(r"^=== (\S+) \| ([^\n]*)\n(.*?)(?=^=== |\Z)", re.MULTILINE | re.DOTALL)
_BYTES = {"<NUL>": "\0", "<CR>": "\r", "<BOM>": "\ufeff"}
_FUNCTION = re.compile(r"^f((?: <\S+>)*): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class RefusedSource:
    """says: what must occur in a refusal that names the marked line."""

    name: str
    says: str
    text: str

    def line(self) -> int:
        """The number of the marked line."""
        return next(n for n, text in enumerate(self.text.splitlines(), 1) if "HERE" in text)


def _whole(function: re.Match[str]) -> str:
    """What a line `f <HEADER>: STATEMENT` stands for."""
    headers = "".join(f"#include {name}\n" for name in function[1].split())
    body = f"    {function[2]} /* HERE */\n    return x + 1;\n"
    return f"{headers}int f(int x);\nint f(int x) {{\n{body}}}"


def _text(text: str) -> str:
    for shown, byte in _BYTES.items():
        text = text.replace(shown, byte)
    return _FUNCTION.sub(_whole, text)


SOURCES = [
    RefusedSource(name, says, _text(text))
    for name, says, text in _SOURCE.findall(Path(__file__).with_suffix(".txt").read_text())
]
