"""The index of the search: a script, because a page that is a file may load no other file."""

import json
from typing import Any

from handouts.site import glossary, tree
from handouts.site.web import Reading

DEEPEST = 3  # headings of this level begin a section of the index


def script(readings: list[Reading]) -> str:
    """search-index.js: one entry for each section of each page."""
    entries = [entry for reading in readings for entry in sections(reading)]
    # JSON is JavaScript but for two line separators; json.dumps escapes these as it escapes all
    # that is not ASCII. </ could end a script that someone puts into a page.
    text = json.dumps(entries, separators=(",", ":")).replace("</", "<\\/")
    return f"window.convlabsSearchIndex = {text};\n"


def sections(reading: Reading) -> list[dict[str, str]]:
    """The sections of a page: where, the page's title, the heading, and the words below it.
    A term of the glossary is a section, too."""
    entry = _entry(reading, "", reading.title)
    found: list[tuple[dict[str, str], list[Any]]] = [(entry, [])]
    for block in reading.blocks:
        if block["t"] == "Header" and block["c"][0] <= DEEPEST:
            anchor, words = block["c"][1][0], tree.text(block["c"][2])
            found.append((_entry(reading, f"#{anchor}", words), []))
        elif block["t"] == "Table" and reading.page.name == glossary.NAME:
            for anchor, term, meaning in glossary.terms(block):
                entry = {**_entry(reading, f"#{anchor}", term), "term": "yes"}
                found.append((entry, [{"t": "Str", "c": meaning}]))
        else:
            found[-1][1].append(block)
    return [{**entry, "text": tree.text(blocks)} for entry, blocks in found]


def _entry(reading: Reading, fragment: str, heading: str) -> dict[str, str]:
    return {"address": reading.page.html + fragment, "page": reading.title, "heading": heading}
