"""Calls pandoc: Markdown to its document tree, and the tree to HTML or typst."""

import json
import subprocess
from functools import cache
from typing import Any

import pypandoc

READER = "gfm"  # the Markdown that GitHub shows, with $math$
HTML = ("--mathml", "--wrap=none")
TYPST = ("--wrap=none",)


class PandocError(Exception):
    """pandoc failed; the text says on what, and has its messages."""


def read(markdown: str, name: str) -> list[Any]:
    """The blocks of a page. `name` is for messages."""
    tree = json.loads(_run(["-f", READER, "-t", "json"], markdown, name))
    blocks: list[Any] = tree["blocks"]
    return blocks


def html(blocks: list[Any], name: str) -> str:
    """HTML of blocks, without head and body; formulas as MathML."""
    return _run(["-f", "json", "-t", "html5", *HTML], _document(blocks), name)


def typst(blocks: list[Any], name: str) -> str:
    """typst's markup of blocks, without a preamble."""
    return _run(["-f", "json", "-t", "typst", *TYPST], _document(blocks), name)


def _document(blocks: list[Any]) -> str:
    return json.dumps({"pandoc-api-version": _version(), "meta": {}, "blocks": blocks})


@cache
def _version() -> list[int]:
    """The version of the document tree that this pandoc reads."""
    version: list[int] = json.loads(_run(["-t", "json"], "", ""))["pandoc-api-version"]
    return version


def _run(arguments: list[str], text: str, name: str) -> str:
    """pandoc's output. A formula that it cannot convert is an error, too. Raises PandocError."""
    done = subprocess.run(
        [pypandoc.get_pandoc_path(), "--fail-if-warnings", *arguments],
        input=text,
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode != 0:
        raise PandocError(f"{name}: pandoc cannot convert it: {done.stderr.strip()}")
    return done.stdout
