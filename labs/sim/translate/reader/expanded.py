"""What the preprocessor left of a program: the program's own text, and the lines it came from.

`g++ -E` writes one file, in which line markers (`# 12 "kernels.cuh" 2`) say where each line came
from. The headers of the system and of the simulator are most of it. They are set aside unread, and
put back in the end. What remains is the program's own text, with the markers as lines in it.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

MARKER = re.compile(rb'# (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)')
MARKERS = re.compile(rb"^" + MARKER.pattern + rb"$", re.MULTILINE)
TOKEN = re.compile(
    rb"""(?P<directive>^[ \t]*\#[^\n]*)
    |(?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\((?:.*?)\)(?P=delimiter)")
    |(?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
    |(?P<letter>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
    |(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    |(?P<word>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)
    |(?P<sign>::|->|[^\s])""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
RAW = re.compile(rb'(?<!\w)(?:u8|[uUL])?R"[^()\\\s]{0,16}\(')
COMMENT = re.compile(rb"/\*.*?\*/|//.*")
# What the marks mean in a header of the simulator, where nothing needs to be rewritten.
MEANINGS = {
    b"__forceinline__": b"inline __attribute__((always_inline))",
    b"__global__": b"", b"__device__": b"", b"__host__": b"",
}  # fmt: skip
SYSTEM = b"3"  # the flag of a marker that leads into a system header


def markers(text: bytes) -> Iterator[re.Match[bytes]]:
    """The line markers of preprocessed text. A line of a raw string is none, whatever it says."""
    if RAW.search(text) is None:  # as in nearly every program
        yield from MARKERS.finditer(text)
        return
    for found in TOKEN.finditer(text):
        if found["directive"] and (marker := MARKERS.match(text, found.start())):
            yield marker


class Refusal(Exception):  # noqa: N818 - the word for it
    """Something that the simulator cannot run, in the format of g++."""


def quoted(name: str) -> str:
    """A C string literal."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquoted(name: bytes) -> str:
    return re.sub(rb"\\(.)", rb"\1", name, flags=re.DOTALL).decode(errors="surrogateescape")


def blanked(text: bytes) -> bytes:
    """As many spaces, on as many lines."""
    return re.sub(rb"[^\n]", b" ", text)


def respaced(line: bytes, original: bytes) -> bytes:
    """A line of the preprocessor's output with the spaces that its author gave it, so that columns
    are the author's; the line itself if a macro changed it."""
    if line == original:
        return line
    words = b"".join(line.split())
    if words == b"".join(original.split()):
        return original
    if b"/" not in original:
        return line
    blank = COMMENT.sub(lambda m: b" " * len(m.group()), original)
    if words == b"".join(blank.split()):
        return blank.rstrip()
    before = original.split(b"/*")[0]
    return before if words == b"".join(before.split()) else line


@dataclass
class Lines:
    """The sources of the program, for their spaces. `main`: what stands for the file `shown`."""

    shown: str
    main: bytes
    read: dict[str, list[bytes]] = field(default_factory=dict)

    def of(self, name: str) -> list[bytes]:
        if name not in self.read:
            try:
                content = self.main if name == self.shown else Path(name).read_bytes()
            except OSError:
                content = b""
            self.read[name] = content.replace(b"\r\n", b"\n").split(b"\n")
        return self.read[name]


class Expanded:
    """The program's own text. `foreign`: what is to be put back, and before which byte of `own`."""

    def __init__(self, own: bytes, foreign: list[tuple[int, bytes]]) -> None:
        self.own = own
        self.foreign = foreign
        self.starts: list[int] = []  # of the markers in `own`
        self.markers: list[tuple[str, int, int]] = []  # file, number of the next line, its start
        for match in markers(own):
            self.starts.append(match.start())
            self.markers.append((unquoted(match[2]), int(match[1]), match.end() + 1))

    def position(self, at: int) -> tuple[str, int, int]:
        """File, line and column (both from 1) of a byte of `own`."""
        index = bisect.bisect_right(self.starts, at) - 1
        name, line, start = self.markers[index] if index >= 0 else ("", 1, 0)
        line += self.own.count(b"\n", start, at)
        return name, line, at - (self.own.rfind(b"\n", 0, at) + 1) + 1

    def refusal(self, at: int, message: str) -> Refusal:
        name, line, column = self.position(at)
        return Refusal(f"{name}:{line}:{column}: error: {message}")

    def replaced(self, parts: list[tuple[int, int, bytes]]) -> Expanded:
        """The same with `start..end` replaced by text, for each of the parts, which are in order
        and contain no foreign text."""
        out: list[bytes] = []
        foreign: list[tuple[int, bytes]] = []
        rest = list(self.foreign)
        at = length = 0
        for start, end, new in [*parts, (len(self.own), len(self.own), b"")]:
            while rest and rest[0][0] <= start:
                where, text = rest.pop(0)
                foreign.append((where - at + length, text))
            out += [self.own[at:start], new]
            length += start - at + len(new)
            at = end
        return Expanded(b"".join(out), foreign)

    def holds_foreign(self, start: int, end: int) -> bool:
        return any(start < at < end for at, _ in self.foreign)

    def whole(self, own: bytes, moved: Callable[[int], int]) -> bytes:
        """`own`, which edits made of self.own, with the foreign text in it. `moved`: the index in
        it of an index in self.own."""
        out: list[bytes] = []
        at = 0
        for where, text in self.foreign:
            out += [own[at : moved(where)], text]
            at = moved(where)
        return b"".join([*out, own[at:]])


class _Reader:
    """Takes the preprocessor's output line by line."""

    def __init__(self, sources: Lines, is_foreign: Callable[[str], bool]) -> None:
        self.sources = sources
        self.is_foreign = is_foreign
        self.kinds: dict[bytes, bool] = {}
        self.own: list[bytes] = []
        self.length = 0
        self.foreign: list[tuple[int, bytes]] = []
        self.outside: list[bytes] = []
        self.name = b""
        self.original: list[bytes] = []  # the lines of that file
        self.line = 0  # the number of the next line
        self.is_own = False
        self.joined = False  # the last line consists of several of the output
        self.entered: list[tuple[str, str, int]] = []  # file that was included, by file, line

    def _put(self, text: bytes) -> None:
        self.own.append(text)
        self.length += len(text)

    def _put_aside(self) -> None:
        text = b"".join(self.outside)
        for word, meaning in MEANINGS.items():
            text = text.replace(word, meaning)
        self.foreign.append((self.length, text))
        self.outside = []

    def _restore(self) -> None:
        """Gives the last line the spaces of the source."""
        if not self.own or self.joined or self.own[-1].startswith(b"#"):
            return
        lines = self.original
        if self.line - 2 < len(lines) and self.line >= 2:
            new = respaced(self.own[-1][:-1], lines[self.line - 2]) + b"\n"
            self.length += len(new) - len(self.own[-1])
            self.own[-1] = new

    def _marker(self, text: bytes, match: re.Match[bytes], following: bytes) -> None:
        name, number, flags = match[2], int(match[1]), match[3].split()
        if name not in self.kinds:
            self.kinds[name] = SYSTEM in flags or self.is_foreign(unquoted(name))
        if b"1" in flags and self.is_own:
            self.entered.append((unquoted(name), unquoted(self.name), self.line))
        is_own = not self.kinds[name]
        if is_own and self.is_own and name == self.name and flags[:1] not in ([b"1"], [b"2"]):
            last = self.own[-1] if self.own else b"#"
            pragma = last.startswith(b"#") or following.lstrip().startswith(b"#")
            if number == self.line - 1 and not pragma:
                self.own[-1] = last[:-1]  # a macro of the system cut the line
                self.length -= 1
                self.line, self.joined = number, True
                return
        if self.own and not self.own[-1].endswith(b"\n"):
            self.own[-1] += b"\n"
            self.length += 1
        if is_own and not self.is_own and self.outside:
            self._put_aside()
        if is_own and name != self.name:
            self.original = self.sources.of(unquoted(name))
        self.name, self.line, self.is_own, self.joined = name, number, is_own, False
        if is_own:
            way = b"".join(b" " + flag for flag in flags if flag in (b"1", b"2"))
            self._put(b'# %d "%s"%s\n' % (number, name, way))
        else:
            self.outside.append(text + b"\n")

    def _text(self, text: bytes) -> None:
        """Takes what stands between two markers."""
        if not self.is_own:
            self.outside.append(text)
            return
        for line in text.split(b"\n")[:-1]:
            if self.joined and self.own and not self.own[-1].endswith(b"\n"):
                self._put(b" " + line.strip() + b"\n")
                self.own[-2:] = [self.own[-2] + self.own[-1]]
                self.line += 1
            else:
                self.joined = False
                self._put(line + b"\n")
                self.line += 1
                self._restore()

    def take(self, output: bytes) -> None:
        at = 0
        for match in markers(output):
            if match.start() > at:
                self._text(output[at : match.start()])
            at = match.end() + 1
            end = output.find(b"\n", at)
            self._marker(match.group(), match, output[at : end if end >= 0 else len(output)])
        if at < len(output):
            self._text(output[at:] if output.endswith(b"\n") else output[at:] + b"\n")
        if self.outside:
            self._put_aside()


def read(
    output: bytes, sources: Lines, is_foreign: Callable[[str], bool]
) -> tuple[Expanded, list[tuple[str, str, int]]]:
    """The preprocessor's output as own and foreign text, and every file that own text includes,
    with the including file and line."""
    reader = _Reader(sources, is_foreign)
    reader.take(output)
    return Expanded(b"".join(reader.own), reader.foreign), reader.entered
