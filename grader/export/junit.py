"""JUnit's XML: a suite per student and lab. A `failure` is the student's, an `error` is ours."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as Xml

from grader.bulk.store import Row, Store
from grader.export import not_graded
from grader.model.result import Check, Result


def render(store: Store) -> Iterator[tuple[str, bytes]]:
    root = Xml.Element("testsuites", name="convlabs")
    for row in store.rows():
        result = store.result_of(row)
        root.append(_ungraded(row) if result is None else _suite(row, result))
    Xml.indent(root)
    yield "junit.xml", Xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _suite(row: Row, result: Result) -> Xml.Element:
    suite = Xml.Element("testsuite", name=clean(f"{row.student} {row.lab}"))
    for check in result.checks:
        suite.append(_case(row, check))
    return _counted(suite)


def _ungraded(row: Row) -> Xml.Element:
    """A suite of one case, which says why nothing was graded."""
    suite = Xml.Element("testsuite", name=clean(f"{row.student} {row.lab}"))
    case = Xml.SubElement(suite, "testcase", classname=clean(row.student), name=row.lab)
    outcome = {"rejected": "failure", "error": "error"}.get(row.status, "skipped")
    Xml.SubElement(case, outcome, message=clean(not_graded.sentence(row)))
    return _counted(suite)


def _case(row: Row, check: Check) -> Xml.Element:
    name = f"{check.part}  {check.name}" if check.part else check.name
    where = clean(f"{row.student}.{row.lab}.{check.kind}")
    case = Xml.Element("testcase", classname=where, name=clean(name), time=f"{check.seconds:.3f}")
    if check.verdict in ("fail", "error"):
        outcome = "failure" if check.verdict == "fail" else "error"
        message = clean(check.message[0]) if check.message else ""
        detail = Xml.SubElement(case, outcome, message=message, type=check.diagnosis or check.kind)
        detail.text = clean("\n".join(check.message))
    elif check.verdict in ("skip", "uncertain"):
        reason = f"needs: {check.needs}" if check.needs else " ".join(check.message)
        Xml.SubElement(case, "skipped", message=clean(reason))
    return case


def _counted(suite: Xml.Element) -> Xml.Element:
    """The suite, with the counts that JUnit expects in its attributes."""
    suite.set("tests", str(len(suite)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def clean(text: str) -> str:
    """The text with a "?" for every character that XML 1.0 forbids: one makes a file unreadable."""
    return "".join(c if c in "\t\n" or (c >= " " and not _forbidden(c)) else "?" for c in text)


def _forbidden(character: str) -> bool:
    return (
        "\x7f" <= character <= "\x9f"
        or "\ud800" <= character <= "\udfff"
        or (character in "\ufffe\uffff")
    )
