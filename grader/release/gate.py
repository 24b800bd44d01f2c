"""Proves that an archive holds no secret: searches the bytes of every file in it.

The gate reads the archive itself, not the list of files that were meant to go in. An archive within
the archive is a finding, like every other file that is not text; the gate unpacks and searches it
too, so that the message can say what it holds. There are three exceptions: an object of a solution,
in its place and stripped, where student.toml allows it; a picture of a handout that holds pixels
alone, which are searched, too; and a font of the handouts that is the known one, byte for byte.
"""

import ast
import bz2
import gzip
import hashlib
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.release import contents, picture, secret, stripped
from grader.release.contents import Lists
from grader.release.secret import Secret, squeezed

OBJECTS = ["labs/lab*_*/reference/*.o"]
PICTURES = ["handouts/figures/mistakes/*.png"]
FONTS = {  # and the SHA-256 of each
    "handouts/site/assets/fonts/Inter-Italic.woff2": (
        "bfc1b86995f0d69020d5e8bd856024cb582e84ccbdf31da46f175a3700bc345e"
    ),
    "handouts/site/assets/fonts/Inter-Regular.woff2": (
        "629917b417359959d538d222d7308560609dd9e564534fd41c6cb8e0d2a09d95"
    ),
    "handouts/site/assets/fonts/Inter-SemiBold.woff2": (
        "3a6ab707c52eacaafef7850375b58fc84be17028669b2c3d15b794870b1fc61c"
    ),
    "handouts/site/assets/fonts/JetBrainsMono-Regular.woff2": (
        "ab381726480e75b049ba9a83ef4624115bf2d857f253e1b5e3cb5525a892a6a0"
    ),
}
# No pattern of student.toml can let these in.
INSTRUCTORS = re.compile(r"^solutions/|^grader/(?:classroom|release|tests)/|(?:^|/)hidden\.toml$")
DEEPEST = 4  # levels of archives within archives
LARGEST = 1 << 26  # bytes that are searched of a file in an inner archive
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
    """What the gate searches for."""

    lists: Lists
    texts: list[Secret]
    seeds: dict[int, str]
    modules: frozenset[str]  # import names of the Python modules that stay outside


def known(root: Path, files: list[str], lists: Lists) -> Known:
    """The secrets of the repository, which tracks `files`."""
    words, seeds = secret.of_hidden_cases(root)
    texts = [*secret.of_solutions(root, lists), *words]
    texts += secret.of_outside_files(root, files, lists)
    outside = [p for p in files if p.endswith(".py") and not contents.matches(p, lists.inside)]
    modules = {p.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for p in outside}
    return Known(lists, texts, seeds, frozenset(modules))


def findings(archive: bytes, secrets: Known) -> list[str]:
    """What is wrong with an archive, one message each; [] if nothing is."""
    messages: list[str] = []
    try:
        entries = list(_tarred(gzip.decompress(archive)))
    except BROKEN:
        return ["the archive cannot be unpacked; make it again"]
    for name, data in entries:
        path = name.partition("/")[2]
        messages += [f"{path}: {problem}" for problem in _in_name(path, secrets)]
        messages += [f"{file}: {problem}" for file, problem in _in_bytes(path, data, secrets, 0)]
    return messages


def _in_name(path: str, secrets: Known) -> Iterator[str]:
    """What is wrong with a file's name."""
    if INSTRUCTORS.search(path):
        yield "this file stays with the instructor, whatever a list says"
    elif not contents.matches(path, secrets.lists.inside):
        yield f"this file is not in the list `inside` of {contents.SHOWN}"
    if "__pycache__" in path or path.endswith((".pyc", ".pyo")):
        yield "a cache of compiled Python"


def _in_bytes(path: str, data: bytes, secrets: Known, depth: int) -> Iterator[tuple[str, str]]:
    """What is wrong with a file's bytes: the file, or the file within it, and the problem."""
    pixels = b""
    if contents.matches(path, PICTURES):
        try:
            pixels = picture.pixels(data)
        except picture.NotPlainError as problem:
            yield path, f"not a plain picture: {problem}"
    elif secrets.lists.objects and contents.matches(path, OBJECTS):
        yield from ((path, problem) for problem in stripped.problems(data))
    elif path in FONTS:
        if hashlib.sha256(data).hexdigest() != FONTS[path]:
            yield path, "a font that the gate does not know; if you changed it, update FONTS there"
    else:
        yield from ((path, problem) for problem in _kind(data))
    yield from ((path, problem) for problem in held(data + pixels, secrets))
    if path.endswith(".py"):
        for module in _imported(data) & secrets.modules:
            yield path, f"it imports {module}, which stays outside; so must this file"
    if depth < DEEPEST:
        for name, inner in _entries(data):
            yield from _in_bytes(f"{path}, in it {name}", inner, secrets, depth + 1)


def held(data: bytes, secrets: Known) -> Iterator[str]:
    """The secrets in some bytes."""
    squeezed_data = squeezed(data)
    for text in secrets.texts:
        if text.text in squeezed_data:
            yield text.what
    if secrets.seeds:
        pattern = "|".join(str(seed) for seed in secrets.seeds)
        for seed in set(re.findall(rb"(?<![\w.])(?:%s)(?!\w)" % pattern.encode(), data)):
            yield f"the seed of hidden cases ({secrets.seeds[int(seed)]})"


def _kind(data: bytes) -> Iterator[str]:
    """Why a file is not plain text, if it is not."""
    if data == NO_FILE:
        yield "a link, folder or device; the archive may hold only files"
        return
    for magic, what in COMPILED.items():
        if data.startswith(magic):
            yield what
    try:
        text = data.decode()
    except UnicodeDecodeError:
        yield "not a text; students get only sources"
        return
    if "\0" in text:
        yield "not a text; students get only sources"


def _imported(data: bytes) -> frozenset[str]:
    """The modules that a Python file cannot work without: those that it imports at its top level.
    An import within `try`, `if` or a function may fail."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return frozenset()
    modules: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(modules)


def _entries(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The names and bytes of the files in an archive, or of a compressed file; nothing for another
    file."""
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
        yield "something that cannot be unpacked", b""


def _tarred(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The names and bytes of a tarball's entries; NO_FILE in place of what is not a file."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
        for entry in tar:
            file = tar.extractfile(entry) if entry.isreg() else None
            yield entry.name, file.read(LARGEST) if file else NO_FILE
