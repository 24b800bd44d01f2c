"""The page with the source beside its instructions: one file, with a script and no request."""

import base64
import gzip
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from markupsafe import Markup

from grader.machine_code.report import Kernel
from grader.model import plain_text
from grader.render import page_templates

FOLDER = Path(__file__).resolve().parent
STYLES = (page_templates.SHARED / "report.css", page_templates.SHARED / "step.css")
MOST = 400_000  # characters of what a page holds; a page has at most 500 kB


def page(title: str, found: Sequence[Kernel], sources: Mapping[str, list[str]]) -> str:
    """The page; kernels for which it has no room are named on it."""
    count = len(found)
    while len(data := packed(found[:count], sources)) > MOST and count > 1:
        count = max(1, min(count - 1, count * MOST // len(data)))
    script = (FOLDER / "code.js").read_text(encoding="utf-8")
    template = page_templates.environment(FOLDER).get_template("code.html")
    text = template.render(
        title=title,
        kernels=found[:count],
        left_out=[kernel.name for kernel in found[count:]],
        data=data,
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=page_templates.style(*STYLES, FOLDER / "code.css"),
    )
    return plain_text.document(text)


def packed(found: Sequence[Kernel], sources: Mapping[str, list[str]]) -> str:
    """Sources and kernels as JSON, compressed, in base64."""
    files = list(sources)
    holds = {"sources": [sources[file] for file in files], "files": files}
    data = msgspec.json.encode(holds | {"kernels": [_kernel(k, files) for k in found]})
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def _kernel(kernel: Kernel, files: list[str]) -> dict[str, object]:
    """code: each instruction, with the number of its line among `lines`; -1 for none."""
    owner = {index: n for n, said in enumerate(kernel.lines) for index in said.line.code}
    labels = {address: name for name, address in kernel.function.labels.items()}
    return {
        "needs": kernel.needs,
        "lines": [
            [files.index(said.line.place[0]), said.line.place[1], said.counted, said.sentence]
            for said in kernel.lines
        ],
        "code": [
            [owner.get(index, -1), labels.get(one.address, ""), one.text()]
            for index, one in enumerate(kernel.function.code)
            if one.op != "NOP"
        ],
    }
