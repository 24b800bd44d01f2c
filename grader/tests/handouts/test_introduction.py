"""The programs of the introduction compile, run, and print what the page says."""

import re
from collections import Counter
from pathlib import Path

import pytest

from grader import paths
from grader.tests import captured

PAGE = paths.ROOT / "handouts/introduction.md"
PROGRAM = re.compile(r"```cuda\n// (\S+)\n.*?```", re.DOTALL)
RUN = re.compile(
    r'(?:<!-- replace "(?P<old>[^"]+)" with "(?P<new>[^"]+)" -->\n\n)?'
    r"```\n\$ \./grade run (?P<command>[^\n]+)\n(?P<printed>.*?)```",
    re.DOTALL,
)


def _programs() -> dict[str, str]:
    """The source text of each program of the page, by its file name."""
    fences = PROGRAM.finditer(PAGE.read_text())
    return {match[1]: match[0].removeprefix("```cuda\n").removesuffix("```") for match in fences}


RUNS = [match.groupdict() for match in RUN.finditer(PAGE.read_text())]


def test_the_page_runs_each_program() -> None:
    assert {run["command"].split()[0] for run in RUNS} == set(_programs())
    assert len(RUNS) == PAGE.read_text().count("$ ./grade run")


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run['command']} {run['new'] or ''}")
def test_a_program_prints_what_the_page_says(run: dict[str, str], tmp_path: Path) -> None:
    """Blocks may print in any order, and stdout may come after stderr: lines are counted."""
    name, *options = run["command"].split()
    source = _programs()[name]
    if run["old"]:
        assert source.count(run["old"]) == 1
        source = source.replace(run["old"], run["new"])
    (tmp_path / name).write_text(source)
    done = captured.grade("run", name, *options, cwd=tmp_path)
    shown = Counter(run["printed"].splitlines())
    printed = Counter((done.stdout + done.stderr).splitlines())
    if "--profile" in options:  # the page leaves out the legend below the table
        assert not shown - printed, done.stdout + done.stderr
    else:
        assert printed == shown
