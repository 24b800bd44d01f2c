"""The page that steps through a recorded block: one file, with a script and no request."""

import base64
import hashlib
import re
from functools import cache

import jinja2
import msgspec
from markupsafe import Markup

from grader.execute.steps import Object, Recording
from grader.model import plain_text
from grader.render import page_templates

SCRIPT = page_templates.SHARED / "step.js"
STYLES = (page_templates.SHARED / "report.css", page_templates.SHARED / "step.css")
ALLOCATED = re.compile(r"\bcuda(?:Malloc|HostAlloc)\w*\s*\(\s*(?:\([^()]*\)\s*)?&?\s*(\w+)")


def page(recording: Recording, small: bool = False) -> str:
    """The page of one block. small: for a frame inside another page, without counters."""
    shown = named(recording)
    data = msgspec.json.encode(shown).decode().replace("<", "\\u003c")
    script = SCRIPT.read_text(encoding="utf-8")
    text = _template().render(
        title=recording.title,
        recording=shown,
        small=small,
        data=Markup(data),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=page_templates.style(*STYLES),
    )
    return plain_text.document(text)  # names of kernels and files are the student's


def named(recording: Recording) -> Recording:
    """With a name for each object."""
    objects = [_named(item, recording) for item in recording.objects]
    return msgspec.structs.replace(recording, objects=objects)


@cache
def _template() -> jinja2.Template:
    return page_templates.environment().get_template("step.html")


def _named(item: Object, recording: Recording) -> Object:
    """An array with the name of the pointer that it was allocated for, where its line says so."""
    if item.name:
        return item
    file, line = recording.places[item.where] if item.where < len(recording.places) else ("", 0)
    lines = recording.sources.get(file, [])
    found = ALLOCATED.search(lines[line - 1]) if 0 < line <= len(lines) else None
    name = found[1] if found else "shared memory" if item.space == "shared" else "an array"
    return msgspec.structs.replace(item, name=name)
