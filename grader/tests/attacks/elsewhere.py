"""Attacks and faults that are made elsewhere: the probes of the sandbox, which precede each bulk
run, and other tests of this project, by their ids. The table lists them beside its own."""

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from grader import paths
from grader.classroom.bulk.isolation import probe
from grader.tests.attacks import host_state
from grader.tests.attacks.attack import HERE
from grader.tests.attacks.judge import Outcome
from grader.tests.attacks.material import Target


def probes(place: Target) -> Iterator[Outcome]:
    """What the sandbox refuses or stops; its positive controls are no attacks."""
    before = host_state.look(place)
    made = probe.run_all()
    changed = host_state.changes(before, host_state.look(place))
    for one in made:
        if one.expected == "works":
            continue
        survived = [*([] if one.passed else [f"not {one.expected}"]), *changed]
        yield Outcome(
            one.name, "sandbox", f"sandbox: {one.remark}", one.expected, one.seconds, survived
        )


def faults() -> dict[str, str]:
    """The tests of faults.toml: what happens, and the test's id."""
    return {
        f["name"]: f["test"] for f in tomllib.loads((HERE / "faults.toml").read_text())["fault"]
    }


def tested(listed: dict[str, str]) -> Iterator[Outcome]:
    """Runs these tests of faults.toml."""
    if not listed:  # pytest would run all that there are
        return
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n0",
             f"--junitxml={report.name}", *dict.fromkeys(listed.values())],
            cwd=paths.ROOT, capture_output=True, check=False,
        )  # fmt: skip
        root = ElementTree.fromstring(Path(report.name).read_bytes() or b"<none/>")
    cases = list(root.iter("testcase"))
    for name, test in listed.items():
        file, _, function = test.partition("::")
        module = file.removesuffix(".py").replace("/", ".")
        mine = [
            c
            for c in cases
            if c.get("classname") == module
            and (c.get("name") == function or c.get("name", "").split("[")[0] == function)
        ]
        failed = [
            c.get("name", "") for c in mine if list(c.iter("failure")) + list(c.iter("error"))
        ]
        skipped = bool(mine) and all(list(c.iter("skipped")) for c in mine)
        survived = [f"fails: {n}" for n in failed] or ([] if mine else ["there is no such test"])
        seconds = sum(float(c.get("time", 0)) for c in mine)
        verdict = (
            "not on this machine" if skipped else f"{len(mine) - len(failed)} of {len(mine)} tests"
        )
        yield Outcome(name, "fault", test.rpartition("/")[2], verdict, seconds, survived)
