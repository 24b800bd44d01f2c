"""What is refused of a submission before any program of it runs, with file and line.

source_check.py judges what was compiled, and object_check.py what came out of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.compile import sources
from grader.compile.compiler_messages import Diagnostic
from grader.compile.permitted import (
    elf,
    foreign_text,
    given_code,
    object_check,
    runtime_symbols,
    source_check,
)
from grader.compile.permitted.object_check import Checked
from grader.compile.permitted.refusal import Where
from grader.compile.permitted.symbol_rules import Kind
from grader.model.submission import Submission
from grader.sandbox import launcher

FOREIGN = ("/usr/", "/lib/", "/lib64/", "/opt/", "<", f"{paths.LABS}/", "labs/")
MANGLED = re.compile(r"\b_Z\w+")
NOTE = re.compile(r" \(discriminator \d+\)$")  # of addr2line


@dataclass(frozen=True)
class Product:
    """An object of a submitted file, and its preprocessed text."""

    source: str
    kind: Kind
    file: Path
    text: Path

    @classmethod
    def of(cls, out: Path, source: str, kind: Kind, backend: str) -> Product:
        part = {"checked": ".checked", "raced": ".raced"}.get(kind, "")
        folder = out / "pic" if kind == "timed" else out
        stem = f"{source}{part}"
        on_gpu = source.endswith(".cu") and backend == "gpu"
        return cls(source, "gpu" if on_gpu else kind, folder / f"{stem}.o", folder / f"{stem}.i")


def find(
    submission: Submission, out: Path, groups: Iterable[Sequence[Product]], backend: str
) -> list[Diagnostic]:
    """What is refused of the products that were made, source before objects. groups: those that
    are linked together. Raises OSError, ObjectError when a product cannot be read."""
    found = [
        refusal
        for name, content in submission.contents.items()
        for refusal in source_check.check_source(name, content)
    ]
    for name, content in submission.contents.items():
        written = content.decode(errors="replace")
        found += given_code.check_given(name, written, submission.lab)
    products = [product for group in groups for product in group]
    owner = _owner(submission, out)
    for product in products:
        if product.text.exists():
            text = elf.content(product.text)
            own = runtime_symbols.not_for_programs()
            found += source_check.check_text(text, owner, product.kind == "gpu", own)
            source = submission.contents.get(product.source, b"")
            found += foreign_text.check_foreign(product.source, source, text, owner)
    diagnostics = [_diagnostic(submission, r.file, r.line, r.text) for r in found]
    if not diagnostics:
        for group in groups:
            diagnostics += _objects(submission, group, owner, backend)
    return list(dict.fromkeys(diagnostics))


def _objects(
    submission: Submission,
    group: Sequence[Product],
    owner: Callable[[str], str | None],
    backend: str,
) -> list[Diagnostic]:
    diagnostics = []
    lab = submission.lab
    for product in (p for p in group if p.file.exists()):
        others = [p.file for p in group if p is not product and p.file.exists()]
        course = sources.course_build(lab, backend)
        checked = Checked(product.file, product.kind, lab.folder, course)
        refusals = object_check.check_object(checked, others)
        if not refusals:
            continue
        lines = _lines(product.file, [r.where for r in refusals if r.where], owner)
        texts = _demangled([r.text for r in refusals])
        for refusal, text in zip(refusals, texts, strict=True):
            file, line = lines.get(refusal.where) or _mentioned(submission, product, refusal.name)
            diagnostics.append(_diagnostic(submission, file, line, text))
    return diagnostics


def _diagnostic(submission: Submission, file: str, line: int, text: str) -> Diagnostic:
    return Diagnostic(_path(submission, file), line, "error", text)


def _path(submission: Submission, file: str) -> str:
    """How messages name a submitted file, or one that only a marker of the preprocessor names."""
    return submission.path(file) if file in submission.contents else f"{submission.shown}/{file}"


def _owner(submission: Submission, out: Path) -> Callable[[str], str | None]:
    """Which submitted file is meant by the path in a marker, or in debugging information; None for
    a file of the course or of the machine."""
    folders = (str(out / "src"), os.path.relpath(out / "src", paths.ROOT))
    names = {f"{folder}/{name}": name for folder in folders for name in submission.contents}
    names |= {submission.path(name): name for name in submission.contents}

    def owner(path: str) -> str | None:
        if path in names:
            return names[path]
        return None if not path or path.startswith(FOREIGN) else Path(path).name

    return owner


def _mentioned(submission: Submission, product: Product, name: str) -> tuple[str, int]:
    """The line of the source that has a symbol's name; line 1 where it has none."""
    content = submission.contents.get(product.source, b"").decode(errors="replace")
    word = re.compile(rf"\b{re.escape(name)}\b") if name else None
    lines = enumerate(content.splitlines(), 1)
    return product.source, next((n for n, text in lines if word and word.search(text)), 1)


def _lines(
    file: Path, wheres: list[Where], owner: Callable[[str], str | None]
) -> dict[Where | None, tuple[str, int]]:
    """The submitted file and the line of bytes of an object: the innermost line that is the
    student's where calls are inlined. Those that addr2line does not know are left out."""
    found: dict[Where | None, tuple[str, int]] = {}
    for section in dict.fromkeys(where.section for where in wheres):
        asked = [where for where in wheres if where.section == section][:8]
        argv = ["addr2line", "-a", "-i", "-j", section, "-e", str(file)]
        output = launcher.tool_output([*argv, *(hex(where.offset) for where in asked)], file)
        blocks = re.split(r"^0x[0-9a-f]+\n", output, flags=re.MULTILINE)[1:]
        for where, block in zip(asked, blocks, strict=False):
            for line in block.splitlines():
                path, _, number = NOTE.sub("", line).strip().rpartition(":")
                if path.startswith(f"{paths.ROOT}/"):
                    path = os.path.relpath(path, paths.ROOT)
                name = owner(path)
                if name and path != "??" and number.isdecimal() and number != "0":
                    found[where] = (name, int(number))
                    break
    return found


def _demangled(texts: list[str]) -> list[str]:
    """The texts with C++ names as the source has them."""
    names = sorted({name for text in texts for name in MANGLED.findall(text)})
    if not names:
        return texts
    demangled = launcher.tool_output(["c++filt", *names], None).splitlines()
    plain = dict(zip(names, demangled, strict=False))
    return [MANGLED.sub(lambda m: plain.get(m[0], m[0])[:80], text) for text in texts]
