"""Grades a student's push on GitHub: in Classroom 50, or in a workflow of your own (grade.yml).

    python3 autograder.py [LAB]

runs in the student's checkout. Without LAB it grades the lab that Classroom 50's assignment names,
such as "lab3-constant-mask". It uses the course in a convlabs-student-*.tar.gz beside this file,
else the one of the student's image that this runs in, else the one in the checkout, which a student
could have changed. It writes

- the points to the log, to the run's summary (GITHUB_STEP_SUMMARY) and as annotations,
- where Classroom 50 runs it, result.json (schema classroom50/result/v1), release-body.md, and for
  `release_assets` report.html and, where a kernel fails, step.html, which steps through it.

Exit status: 0 if it graded, whatever the points; else nothing was graded, and the log says why.
The standard library alone, Python 3.11 or later.
"""

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

GRADED = (0, 1)  # exit statuses of ./grade labN: full marks, or less
MOST_ANNOTATIONS = 10  # GitHub shows no more of a step
ARCHIVE = "convlabs-student-*.tar.gz"
IMAGE = Path("/convlabs")  # the course in the student's image
WRITTEN = ("result.json", "release-body.md", "report.html", "step.html")


class GradeError(Exception):
    """Why there is no grade, and what to do."""


def lab_of(arguments: list[str], environment: Mapping[str, str]) -> str:
    """The lab to grade. Raises GradeError."""
    text = arguments[0] if arguments else environment.get("ASSIGNMENT", "")
    labs = set(re.findall(r"(?<![a-z0-9])lab[1-9][0-9]*", text.lower()))
    if len(labs) != 1:
        raise GradeError(
            f"'{text}' does not name one lab; call the assignment such as lab3, or name the lab "
            "on the command line"
        )
    return str(labs.pop())


def course(beside: Path, checkout: Path, folder: Path) -> Path:
    """The folder with `grade`: the archive beside this file, unpacked into `folder`, else the
    image's, else the checkout. Raises GradeError."""
    archives = sorted(beside.glob(ARCHIVE))
    if len(archives) > 1:
        raise GradeError(f"more than one {ARCHIVE} in {beside}; leave one")
    if archives:
        with tarfile.open(archives[0]) as archive:
            archive.extractall(folder, filter="data")
        return next(folder.glob("*/grade")).parent
    if (IMAGE / "grade").is_file():
        return IMAGE
    if not (checkout / "grade").is_file():
        raise GradeError(f"neither {ARCHIVE} in {beside} nor ./grade in the checkout")
    return checkout


def grade(lab: str, home: Path, checkout: Path, folder: Path, pages: bool) -> dict[str, Any]:
    """Runs ./grade, which prints the grade. Returns convlabs-grade/v1. pages: also puts report.html
    and step.html into `folder`. Raises GradeError."""
    source = checkout / "starter" if (checkout / "starter").is_dir() else checkout
    target, steps = folder / "grade.json", home / "build" / "step"
    command = [sys.executable, str(home / "grade"), lab, "--src", str(source)]
    command += ["--json", str(target)]
    command += ["--html", str(folder / "report.html"), "--step"] if pages else []
    before = {*steps.glob(f"{lab}-*.html")}
    # A line that a student's program prints must not command GitHub's runner.
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    try:
        status = subprocess.run(command, stdin=subprocess.DEVNULL)
    finally:
        print(f"\n::{token}::", flush=True)
    if status.returncode not in GRADED:
        raise GradeError(
            f"./grade {lab} ended with status {status.returncode}; see its lines above"
        )
    for made in {*steps.glob(f"{lab}-*.html")} - before:
        shutil.copyfile(made, folder / "step.html")
    result: dict[str, Any] = json.loads(target.read_bytes())
    return result


def tests(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A test for each check that was measured. Classroom 50 wants whole points: each check's are
    rounded, half a point up."""
    return [
        {
            "test-name": name_of(check),
            "passed": check["verdict"] == "pass",
            "score": int(check["points"] + 0.5),
            "max-score": int(check["max_points"] + 0.5),
        }
        for check in result["checks"]
        if check["verdict"] in ("pass", "fail") or check["needs"]
    ]


def classroom50(result: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """result.json. Raises GradeError where the runner has not set what it needs."""
    rows = tests(result)
    try:
        return {
            "schema": "classroom50/result/v1",
            "classroom": environment["CLASSROOM"],
            "assignment": environment["ASSIGNMENT"],
            "submission": environment["SUBMISSION_TAG"],
            "commit": environment["COMMIT_URL"],
            "release": environment["RELEASE_URL"],
            "review": environment.get("REVIEW_URL") or environment["COMMIT_URL"],
            "datetime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "score": sum(row["score"] for row in rows),
            "max-score": sum(row["max-score"] for row in rows),
            "tests": rows,
        }
    except KeyError as missing:
        raise GradeError(f"Classroom 50's runner has not set {missing}") from None


def name_of(check: Mapping[str, Any]) -> str:
    return f"{check['part']}  {check['name']}" if check["part"] else str(check["name"])


def page(result: Mapping[str, Any]) -> str:
    """The grade as Markdown. Text that a student may have shaped is shown as it is: it makes no
    link, no image and no mention."""
    score = result["score"]
    lines = [
        f"## {result['lab']}: {score['earned']:g} of {score['measured']:g} points",
        "",
        *(f"{rest['points']:g} points {literal(rest['reason'])}\n" for rest in score["unmeasured"]),
        "| | check | points | |",
        "|---|---|---|---|",
    ]
    for check in result["checks"]:
        message = f"needs: {check['needs']}" if check["needs"] else " ".join(check["message"][:3])
        cells = (
            check["verdict"],
            literal(name_of(check)),
            f"{check['points']:g}/{check['max_points']:g}",
            literal(message),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def literal(text: str) -> str:
    """The text as Markdown that shows it, letter by letter."""
    shown = "".join(c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in text)
    return f"<code>{shown}</code>" if shown.strip() else ""


def error_commands(result: Mapping[str, Any]) -> list[str]:
    """Workflow commands that mark what is wrong, at its line of a file where one is named: one for
    each finding, however many checks have it."""
    found: dict[tuple[str, str], list[str]] = {}
    for check in result["checks"]:
        if check["verdict"] == "fail" and check["message"]:
            for finding in findings(result["files"], check["message"]):
                found.setdefault(finding, []).append(name_of(check))
    commands = []
    for (where, text), names in found.items():
        names = list(dict.fromkeys(names))
        title = names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        commands.append(f"::error {where}title={escaped(title, True)}::{escaped(text, False)}")
    return commands[:MOST_ANNOTATIONS]


def findings(files: list[dict[str, Any]], message: list[str]) -> list[tuple[str, str]]:
    """The place of each finding in a message, as a command wants it, and its lines. A line that
    names a place begins another finding."""
    found = [("", "")]
    for line in message:
        places = [(f, re.search(re.escape(f["path"]) + r":(\d+)", line)) for f in files]
        where = next((f"file={escaped(f['path'], True)},line={m[1]}," for f, m in places if m), "")
        if where and found[-1][0]:
            found.append((where, line))
        else:
            before, text = found.pop()
            found.append((before or where, f"{text}\n{line}".lstrip("\n")))
    return found


def escaped(text: str, in_property: bool) -> str:
    """The text as GitHub's workflow commands want it."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text


def main(arguments: list[str]) -> int:
    checkout, classroom = Path.cwd(), bool(os.environ.get("CLASSROOM"))
    try:
        if classroom:
            # A student may have pushed files of these names, or links to others.
            for name in WRITTEN:
                (checkout / name).unlink(missing_ok=True)
        lab = lab_of(arguments, os.environ)
        with tempfile.TemporaryDirectory(dir=os.environ.get("RUNNER_TEMP")) as temporary:
            folder = Path(temporary)
            folder.chmod(0o755)  # a program that root runs as another user reads the course
            home = course(Path(__file__).resolve().parent, checkout, folder)
            result = grade(lab, home, checkout, folder, classroom)
            for name in WRITTEN[2:]:
                if (folder / name).is_file():
                    shutil.copyfile(folder / name, checkout / name)
        if classroom:
            document = json.dumps(classroom50(result, os.environ), indent=2)
            (checkout / "result.json").write_text(document + "\n", encoding="utf-8")
            (checkout / "release-body.md").write_text(page(result), encoding="utf-8")
        if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
            with open(summary, "a", encoding="utf-8") as file:
                file.write(page(result))
    except (GradeError, OSError, tarfile.TarError, ValueError) as problem:
        print(f"::error title=not graded::{escaped(str(problem), False)}", flush=True)
        return 3
    print("\n".join(error_commands(result)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
