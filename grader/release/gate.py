"""Proves of an archive that nothing secret is in it: looks at the bytes of every member.

The archive is read as anyone would read it, by its own names and bytes, not by what was meant to go
in. Archives inside it are unpacked and searched as well, so that the message can say what is in
them; that they are there is a finding of its own, as is any file that is no text.
"""

from __future__ import annotations

import ast
import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.release import contents, secret
from grader.release.contents import Lists
from grader.release.secret import Secret, squeezed

DEEPEST = 4  # archives inside archives
LARGEST = 1 << 26  # bytes of a file in an archive that are looked at
NO_FILE = b"\0no file"
COMPILED = {
    b"\x7fELF": "a compiled program or object",
    b"!<arch>\n": "a library of objects",
}
STREAMS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": lambda data: zlib.decompressobj(31).decompress(data, LARGEST),
    b"BZh": lambda data: bz2.BZ2Decompressor().decompress(data, LARGEST),
    b"\xfd7zXZ": lambda data: lzma.LZMADecompressor().decompress(data, LARGEST),
}
BROKEN = (
    OSError,
    lzma.LZMAError,
    EOFError,
    ValueError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,
)


@dataclass(frozen=True)
class Known:
    """What the gate looks for."""

    lists: Lists
    texts: list[Secret]
    seeds: dict[int, str]
    modules: frozenset[str]  # Python modules that stay outside, as they are imported


def known(root: Path, files: list[str], lists: Lists) -> Known:
    """All that the course's repository has and the archive must not have."""
    words, seeds = secret.of_hidden_cases(root)
    texts = [*secret.of_solutions(root, lists), *words]
    texts += secret.of_outside_files(root, files, lists)
    outside = [p for p in files if p.endswith(".py") and contents.matches(p, lists.outside)]
    modules = {p.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for p in outside}
    return Known(lists, texts, seeds, frozenset(modules))


def findings(archive: bytes, sought: Known) -> list[str]:
    """What is wrong with an archive, a line each; [] when nothing is."""
    found: list[str] = []
    try:
        entries = list(_tarred(gzip.decompress(archive)))
    except BROKEN:
        return ["the archive cannot be unpacked; make it anew"]
    for name, data in entries:
        path = name.partition("/")[2]
        found += [f"{path}: {problem}" for problem in _named(path, sought)]
        found += [f"{where}: {problem}" for where, problem in _seen(path, data, sought, 0)]
    return found


def _named(path: str, sought: Known) -> Iterator[str]:
    """What a member's name says."""
    if contents.matches(path, sought.lists.outside):
        yield f"this file stays outside ({contents.SHOWN})"
    elif not contents.matches(path, sought.lists.inside):
        yield f"this file is not in the list `inside` of {contents.SHOWN}"
    if "__pycache__" in path or path.endswith((".pyc", ".pyo")):
        yield "a cache of compiled Python"


def _seen(path: str, data: bytes, sought: Known, depth: int) -> Iterator[tuple[str, str]]:
    """What a member's bytes say: (where, what)."""
    for problem in _kind(data):
        yield path, problem
    squeezed_data = squeezed(data)
    for text in sought.texts:
        if text.text in squeezed_data:
            yield path, text.what
    if sought.seeds:
        pattern = "|".join(str(seed) for seed in sought.seeds)
        for seed in set(re.findall(rb"(?<![\w.])(?:%s)(?!\w)" % pattern.encode(), data)):
            yield path, f"the seed of hidden cases ({sought.seeds[int(seed)]})"
    if path.endswith(".py"):
        for module in _needed(data) & sought.modules:
            yield path, f"it cannot do without {module}, which stays outside; so must this file"
    if depth < DEEPEST:
        for name, inner in _entries(data):
            yield from _seen(f"{path}, in it {name}", inner, sought, depth + 1)


def _kind(data: bytes) -> Iterator[str]:
    """Why a file is no plain text, if it is none."""
    if data == NO_FILE:
        yield "a link, folder or device; the archive holds files only"
        return
    for magic, what in COMPILED.items():
        if data.startswith(magic):
            yield what
    try:
        text = data.decode()
    except UnicodeDecodeError:
        yield "not a text; students get sources only"
        return
    if "\0" in text:
        yield "not a text; students get sources only"


def _needed(data: bytes) -> frozenset[str]:
    """The modules that a Python file imports at its top, whatever happens; an import within `try`,
    `if` or a function is one that it can do without."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return frozenset()
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def _entries(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The files in an archive, or what is compressed; nothing when it is neither."""
    try:
        for magic, unpacked in STREAMS.items():
            if data.startswith(magic):
                yield "unpacked", unpacked(data)
        if data[257:262] == b"ustar":
            yield from _tarred(data)
        elif zipfile.is_zipfile(io.BytesIO(data)):
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                for entry in packed.infolist():
                    with packed.open(entry) as file:
                        yield entry.filename, file.read(LARGEST)
    except BROKEN:
        yield "what cannot be unpacked", b""


def _tarred(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The files in a tarball; of what is no file, its kind in place of bytes."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
        for entry in tar:
            file = tar.extractfile(entry) if entry.isreg() else None
            yield entry.name, file.read(LARGEST) if file else NO_FILE
