"""Judges a graded entry by its header, and keeps the table RESULTS.md of this folder.

    make known-table    grades all entries, and writes the table

A row says what an entry must get and whether it did; a test compares the rows of what it graded
with those that are committed. The names of mistakes are those of a check's `diagnosis` and
`findings`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from grader.tests.known_submissions import entries
from grader.tests.known_submissions.entries import HERE, Entry

FILE = HERE / "RESULTS.md"
SMALLEST = "smallest-case"  # in a header: the smallest case that fails says it all
UNNAMED = "-"  # in a header: no mistake is named, and none must be

# What a check says when it knows what happened, and not why. They contradict no mistake.
FACTS = frozenset({
    "crashed", "timeout", "no-result", "flood", "wrote-outside", "nothing-written",
    "not-all-written", "nan", "all-zero", "copied", "scaled", "returned-error", "call-not-made",
    "error-not-handled", "order-dependent", "uninitialised-result", "differs-between-runs",
    "all-255", "wrong-output", "changed-input", "rejected", "refused-but-wrote",
    "error-not-checked", "another-error", "leak", "leak-on-error", "out-of-bounds",
    "use-after-free", "not-bit-for-bit", "depends-on-threads", "pixels-left-out",
})  # fmt: skip


@dataclass(frozen=True)
class Row:
    """What the table says of an entry. `named`: by the right name, where it is wrong or unsafe.
    `alone`: the checks that say so without the others, too, as ./grade -k names them: one that
    fails, or those of a part; else ""."""

    entry: str
    verdict: str
    detail: str
    as_expected: bool
    named: bool | None
    alone: str = ""

    def line(self) -> str:
        got = "yes" if self.as_expected else "NO"
        named = {None: "", True: "yes", False: "no"}[self.named]
        return f"| {self.entry} | {self.verdict} | {self.detail} | {got} | {named} | {self.alone} |"


def explained(document: dict[str, Any]) -> set[str]:
    """The mistakes that the failed cases were explained by."""
    failed = (c for c in document["checks"] if c["verdict"] == "fail" and c["kind"] == "correct")
    return {c["diagnosis"] for c in failed if c["diagnosis"]}


def found_unsafe(document: dict[str, Any]) -> set[str]:
    """What the failed `safe` checks found."""
    failed = [c for c in document["checks"] if c["verdict"] == "fail" and c["kind"] == "safe"]
    kinds = {kind for c in failed for kind in c["details"].get("findings", [])}
    return kinds | {c["diagnosis"] for c in failed if c["diagnosis"]}


def complaint(entry: Entry, code: int, document: dict[str, Any]) -> str:
    """Why the grade is not what the header asks for; "" when it is. Names are judged apart."""
    checks, score = document["checks"], document["score"]
    failed = [c for c in checks if c["verdict"] == "fail"]
    kinds = {c["kind"] for c in failed}
    if faults := [(c["name"], c["message"]) for c in checks if c["verdict"] == "error"]:
        return f"not judged: {faults}"
    if entry.verdict in entries.ACCEPTED:
        lost = [c["name"] for c in checks if c["verdict"] != "pass"]
        whole = code == 0 and score["earned"] == score["measured"]
        return "" if whole else f"a right one lost points: {lost}"
    if code != 1 or not failed or score["earned"] >= score["measured"]:
        return f"exit status {code}, and {len(failed)} checks failed"
    if not all(c["message"] for c in failed):
        return "a failed check says nothing"
    if entry.verdict == "poor":
        names = {c["name"] for c in failed}
        expected = kinds == {"technique"} and names == set(entry.detail.split("; "))
        return "" if expected else f"these failed: {sorted(names)}"
    if entry.verdict == "unsafe":  # a contract's calls may find it, too
        cases = [c["name"] for c in failed if c["kind"] != "safe" and not is_contract(c)]
        return "" if "safe" in kinds and not cases else f"these failed: {sorted(cases)}"
    return "" if kinds & {"correct", "safe"} else f"only {sorted(kinds)} failed"


def is_contract(check: dict[str, Any]) -> bool:
    """Is it a check of generated calls?"""
    return bool(check["kind"] == "correct" and check["name"].startswith("any call"))


def misnamed(entry: Entry, document: dict[str, Any]) -> str:
    """Why the mistake is misnamed, or named twice; "" if neither."""
    cases, findings = explained(document), found_unsafe(document)
    if entry.detail == SMALLEST:
        shown = any(
            is_contract(c) and c["message"][0].startswith("smallest case that fails")
            for c in document["checks"]
            if c["verdict"] == "fail"
        )
        if not shown:
            return "no smallest case is shown"
    elif entry.detail != UNNAMED and entry.detail not in cases | findings:
        return f"not named {entry.detail}, but {sorted(cases | findings) or 'nothing'}"
    if wrong := cases - FACTS - findings - entry.also - {entry.detail}:
        return f"also named {', '.join(sorted(wrong))}"
    return ""


def judge(entry: Entry, code: int, document: dict[str, Any]) -> Row:
    named = None
    if entry.verdict in ("wrong", "unsafe"):
        named = entry.detail != UNNAMED and not misnamed(entry, document)
    as_expected = not complaint(entry, code, document)
    return Row(str(entry), entry.verdict, shown(entry), as_expected, named)


def telling(entry: Entry, document: dict[str, Any]) -> list[str]:
    """The checks that may say by themselves what the whole grade says, as ./grade -k names them:
    the only one that fails, those that give the mistake its name, and those of the part."""
    failed = [c for c in document["checks"] if c["verdict"] == "fail"]
    if entry.verdict in entries.ACCEPTED or not failed:
        return []
    named = [
        check
        for check in failed
        if len(failed) == 1
        or entry.detail == check["diagnosis"]
        or entry.detail in check["details"].get("findings", [])
        or (entry.detail == SMALLEST and is_contract(check))
        or entry.detail == UNNAMED
    ]
    parts = sorted({check["part"] for check in failed})
    patterns = [f"{check['part']} {check['name']}" for check in named[:2]]
    return [*patterns, *parts] if len(parts) == 1 else patterns


def shown(entry: Entry) -> str:
    """The mistake in the entry's row."""
    return entry.detail if entry.verdict in ("wrong", "unsafe") else ""


# ---- the table


def committed() -> dict[str, Row]:
    """The rows of RESULTS.md by their entry."""
    rows = {}
    for line in FILE.read_text().splitlines() if FILE.exists() else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and "/" in cells[0]:
            entry, verdict, detail, got, named, alone = cells
            known = {"": None, "yes": True, "no": False}[named]
            rows[entry] = Row(entry, verdict, detail, got == "yes", known, alone)
    return rows


def share(values: Iterable[bool | None]) -> tuple[int, int]:
    """How many are true, and of how many that are known."""
    known = [v for v in values if v is not None]
    return sum(known), len(known)


def report(rows: Iterable[Row]) -> str:
    """RESULTS.md."""
    ordered = sorted(rows, key=lambda row: row.entry)
    labs = sorted({row.entry.split("/")[0] for row in ordered})
    lines = [
        "# What the grader says of programs with a known verdict",
        "",
        "Made by `make known-table`, which grades every entry; a test fails when a row is not",
        "true. *Right* ones must get full marks of what is measured without timing, as must",
        "*expert* ones, *habits*, which stand in front of the solution, and *slow* ones, whose",
        "time is graded apart. *Wrong* and *unsafe* ones must lose points in `correct` or `safe`,",
        "*poor* ones exactly those of the technique checks that their header names. *Named*: the",
        "mistake gets its name from a case or a safe check, and no case is given another one.",
        "*Alone*: the checks that show this by themselves (as `./grade -k` names them); the tests",
        "then play no other. `make known-table` plays all.",
        "",
        "| lab | wrong caught | right passed | slow or poor reported | named |",
        "|---|---|---|---|---|",
    ]
    for lab in [*labs, ""]:
        here = [row for row in ordered if row.entry.startswith(f"{lab}/" if lab else "lab")]
        figures = [
            share(r.as_expected for r in here if r.verdict in kinds)
            for kinds in (("wrong", "unsafe"), ("right", "habit", "expert"), ("slow", "poor"))
        ]
        figures.append(share(r.named for r in here))
        lines.append(f"| {lab or 'all'} | " + " | ".join(f"{n} of {m}" for n, m in figures) + " |")
    lines += ["", "| entry | verdict | mistake | as expected | named | alone |"]
    lines.append("|---|---|---|---|---|---|")
    lines += [row.line() for row in ordered]
    return "\n".join(lines) + "\n"
