"""Gives the course a version, wherever it says one, and heads the unreleased changes with it.

    make version VERSION=1.0.0

changes files and nothing else: look at the difference, commit and tag it. Versions are semantic
(https://semver.org). The first number goes up where a grade, a schema or a command stops to mean
what it did, the second where something is added, the third for what is mended.
"""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from grader import __version__, files, paths

SEMANTIC = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")
UNRELEASED = "## Unreleased\n"
# Where the version and the day stand: the file, and the text around them.
PLACES = (
    ("grader/__init__.py", r'(__version__ = ")[^"]*(")', "version"),
    ("pyproject.toml", r'(^version = ")[^"]*(")', "version"),
    ("CITATION.cff", r"(^version: )\S+()", "version"),
    ("CITATION.cff", r"(^date-released: )\S+()", "day"),
    ("codemeta.json", r'("version": ")[^"]*(")', "version"),
    ("codemeta.json", r'("datePublished": ")[^"]*(")', "day"),
)


def main() -> int:
    """Returns the exit status."""
    version = sys.argv[1] if len(sys.argv) == 2 else ""
    if problem := refused(version):
        print(f"version: {problem}", file=sys.stderr)
        return 1
    changed = set_version(paths.ROOT, version, f"{datetime.now(UTC):%Y-%m-%d}")
    print(f"{__version__} is now {version} in {', '.join(changed)}; next:")
    print(f"  git commit -am 'Release {version}' && git tag -a v{version} -m 'convlabs {version}'")
    print(f"  make release VERSION={version}")
    return 0


def refused(version: str) -> str:
    """Why this is no version to release; "" if it is one."""
    if not SEMANTIC.fullmatch(version):
        return f"'{version}' is no version; name one as 1.0.0: make version VERSION=1.0.0"
    return ""


def set_version(root: Path, version: str, day: str) -> list[str]:
    """Writes version and day where they stand. Returns the files."""
    new = {"version": version, "day": day}
    texts: dict[str, str] = {}
    for name, pattern, what in PLACES:
        text = texts.get(name) or (root / name).read_text("utf-8")
        replaced, count = re.subn(pattern, rf"\g<1>{new[what]}\g<2>", text, count=1, flags=re.M)
        if not count:
            raise ValueError(f"{name} has no place for the {what}: {pattern}")
        texts[name] = replaced
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    if f"## {version}," not in changes:
        head = f"{UNRELEASED}\n## {version}, {day}\n"
        texts["CHANGELOG.md"] = changes.replace(UNRELEASED, head, 1)
    for name, text in texts.items():
        files.replace(root / name, text.encode())
    return list(texts)


def notes(changelog: str, version: str) -> str:
    """The changes of a version, without its heading; "" where there is none."""
    sections = re.split(r"^## ", changelog, flags=re.M)
    own = [text for text in sections if re.match(rf"{re.escape(version)}(,|\n|$)", text)]
    return own[0].partition("\n")[2].strip() + "\n" if own else ""


if __name__ == "__main__":
    sys.exit(main())
