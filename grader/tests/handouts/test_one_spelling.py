"""Texts for users have one unit for sizes, KB, and one spelling, -ize."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.paths import ROOT
from grader.tests import captured

PAGES = ("*.md", "handouts/*.md", "solutions/*/notes.md", "labs/studies/bench/RESULTS.md")
SETTINGS = ("labs/lab*/lab.toml", "solutions/*/hidden.toml", "grader/diagnose/mistakes.toml")
PYTHON = (
    "grader/**/*.py",
    "labs/sim/translate/**/*.py",
    "labs/studies/bench/*.py",
    "handouts/**/*.py",
)
# Students read the files of the labs; of the others, the messages.
READ = ("labs/lab*/lab.h", "starter/*/*", "solutions/*/*.c", "solutions/*/*.cu")
MESSAGES = ("labs/sim/src/*/*.c", "labs/runtime/**/*.c", "labs/lab*/*.c", "labs/sim/include/**/*.h")

STEMS = (
    "initial|normal|vector|synchron|recogn|serial|special|optim|organ|summar|parallel|minim|maxim|"
    "general|util|custom|standard|visual|random|quant|categor|character|priorit|penal|final|"
    "emphas|equal|capital|local|stabil|apolog|memor|real|critic|linear|discret|token|symbol"
)
# A word beside - _ / or . is part of a name, such as uninitialised-read or filter_vectorised.
BRITISH = re.compile(
    rf"(?<![\w/-])(?:un|re|de|non)?(?:{STEMS})is(?:e|ed|es|er|ers|ing|ation|ations)(?![\w-]|\.\w)",
    re.I,
)
UNIT = re.compile(r"(?<![A-Za-z])(?:[KMG]iB|kB|kiB)(?![A-Za-z])")
# Names, in texts that are made of them: cases of filter_vectorised(), and the mistake `normalised`.
NAMES = re.compile(
    r"\bvectorised(?=: | filter|, 17 | +\|)|\*\*normalised\*\*|\[normalised\b|"
    r"output with normalised(?=, and)|"
    r"\"(?:normalised|vectorised)\""
)
CODE = re.compile(r"^(```+|~~~+).*?^\1|`[^`\n]*`|\]\([^)\s]*\)|<[^>\n]*>", re.M | re.S)
C_STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def wrong(text: str) -> list[str]:
    """The words that must be written in another way."""
    text = NAMES.sub("", text)
    return [m[0] for rule in (UNIT, BRITISH) for m in rule.finditer(text)]


def prose(page: str) -> str:
    """A page without code, addresses and HTML tags."""
    return CODE.sub(" ", page)


def values(settings: Any) -> Iterator[str]:
    """All strings of TOML, without names."""
    if isinstance(settings, str):
        yield settings
    elif isinstance(settings, list):
        for each in settings:
            yield from values(each)
    elif isinstance(settings, dict):
        for key, value in settings.items():
            if key not in ("name", "id", "also"):
                yield from values(value)


def strings(source: str) -> Iterator[str]:
    """The texts of a Python file: strings with a space."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value


def read(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".md":
        return [prose(text)]
    if path.suffix == ".toml":
        return list(values(tomllib.loads(text)))
    if path.suffix == ".py":
        return list(strings(text))
    if any(path.match(pattern) for pattern in READ):
        return [text]
    return C_STRINGS.findall(text)


def files() -> list[Path]:
    """Those that git knows: not what a build leaves beside them."""
    globs = [f":(glob){g}" for g in (*PAGES, *SETTINGS, *PYTHON, *READ, *MESSAGES)]
    done = captured.run(["git", "ls-files", "-z", *globs], cwd=ROOT, check=True)
    listed = done.stdout.split("\0")
    kept = [ROOT / name for name in listed if name and not name.startswith("grader/tests/")]
    return [path for path in kept if path.suffix in (".md", ".toml", ".py", ".c", ".cu", ".h")]


def test_texts_use_one_spelling() -> None:
    known = files()
    assert len(known) > 300
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in known
        for text in read(path)
        for word in wrong(text)
    ]
    assert not found, "write KB, MB, GB, and -ize: " + "; ".join(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("64 KiB of it", ["KiB"]),
        ("a row of 7.7kB", ["kB"]),
        ("an uninitialised value", ["uninitialised"]),
        ("Optimised code is vectorised.", ["Optimised", "vectorised"]),
        ("synchronisation", ["synchronisation"]),
        ("48 KB, 1 MB, 3.6 GB/s, initialize, exercise, otherwise, pointwise, precise", []),
        ("uninitialised-read, not-normalised, filter_vectorised(), vectorised: 17 + 17 taps", []),
    ],
)
def test_rules_match_the_other_spelling(text: str, words: list[str]) -> None:
    assert wrong(text) == words


def test_code_in_pages_is_not_checked() -> None:
    page = "a `vectorised` [b](normalise.md)\n```\nserialised\n```\n<a id='normalised'></a> 1 KiB\n"
    assert wrong(prose(page)) == ["KiB"]


def test_strings_and_values_are_extracted() -> None:
    assert list(strings('f(x, "normalise", f"an optimised {x} build")')) == [
        "an optimised ",
        " build",
    ]
    assert list(values({"name": "a b", "case": [{"why": "64 KiB", "size": [1]}]})) == ["64 KiB"]
