"""The page that steps through a recorded block: one file, with a script and no request."""

import base64
import hashlib
import re

from markupsafe import Markup

from grader.execute.step_lines import Object
from grader.execute.steps import Recording
from grader.model import plain_text
from grader.render import page_templates

RULES = page_templates.SHARED / "access.js"  # of what an access costs; the handouts have them too
SCRIPTS = (RULES, page_templates.SHARED / "step.js")
STYLES = (page_templates.SHARED / "report.css", page_templates.SHARED / "step.css")
ALLOCATED = re.compile(r"\bcuda(?:Malloc|HostAlloc)\w*\s*\(\s*(?:\([^()]*\)\s*)?&?\s*(\w+)")


def page(recording: Recording, small: bool = False) -> str:
    """The page of one block. small: for a frame inside another page, without counters."""
    name_objects(recording)
    script = "".join(file.read_text(encoding="utf-8") for file in SCRIPTS)
    text = (
        page_templates.environment()
        .get_template("step.html")
        .render(
            title=recording.title,
            recording=recording,
            small=small,
            data=recording.packed(),
            script=Markup(script),
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            style=page_templates.style(*STYLES),
        )
    )
    return plain_text.document(text)  # names of kernels and files are the student's


def name_objects(recording: Recording) -> None:
    for item in recording.objects:
        item.name = item.name or _name(item, recording)


def _name(item: Object, recording: Recording) -> str:
    """An array has the name of the pointer that it was allocated for, where its line says so."""
    lines = recording.sources.get(item.file, [])
    line = lines[item.line - 1] if 0 < item.line <= len(lines) else None
    found = ALLOCATED.search(line or "")
    return found[1] if found else "shared memory" if item.space == "shared" else "an array"
