"""JUnit's XML: a suite for each student and lab. A failure is the student's, an error is ours."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from grader.bulk.store import Row, Store
from grader.export.feedback import WORDS, result_of
from grader.model.result import Check, Result


def render(store: Store) -> dict[str, bytes]:
    top = Xml.Element("testsuites", name="convlabs")
    for row in store.rows():
        result = result_of(store, row)
        top.append(_ungraded(row) if result is None else _suite(row, result))
    Xml.indent(top)
    return {"junit.xml": Xml.tostring(top, encoding="utf-8", xml_declaration=True) + b"\n"}


def _suite(row: Row, result: Result) -> Xml.Element:
    suite = Xml.Element("testsuite", name=clean(f"{row.student} {row.lab}"))
    for check in result.checks:
        suite.append(_case(row, check))
    return _counted(suite)


def _ungraded(row: Row) -> Xml.Element:
    suite = Xml.Element("testsuite", name=clean(f"{row.student} {row.lab}"))
    case = Xml.SubElement(suite, "testcase", classname=clean(row.student), name=row.lab)
    kind = {"rejected": "failure", "error": "error"}.get(row.status, "skipped")
    text = f"{WORDS[row.status]}: {row.reason}" if row.reason else WORDS[row.status]
    Xml.SubElement(case, kind, message=clean(text))
    return _counted(suite)


def _case(row: Row, check: Check) -> Xml.Element:
    name = f"{check.part}  {check.name}" if check.part else check.name
    where = clean(f"{row.student}.{row.lab}.{check.kind}")
    case = Xml.Element("testcase", classname=where, name=clean(name), time=f"{check.seconds:.3f}")
    if check.verdict in ("fail", "error"):
        kind = "failure" if check.verdict == "fail" else "error"
        message = clean(check.message[0]) if check.message else ""
        found = Xml.SubElement(case, kind, message=message, type=check.diagnosis or check.kind)
        found.text = clean("\n".join(check.message))
    elif check.verdict in ("skip", "uncertain"):
        why = f"needs: {check.needs}" if check.needs else " ".join(check.message)
        Xml.SubElement(case, "skipped", message=clean(why))
    return case


def _counted(suite: Xml.Element) -> Xml.Element:
    suite.set("tests", str(len(suite)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def clean(text: str) -> str:
    """What XML 1.0 may hold: a control code or half a surrogate would make the file unreadable."""
    return "".join(c if c in "\t\n" or (c >= " " and not _forbidden(c)) else "?" for c in text)


def _forbidden(character: str) -> bool:
    return (
        "\x7f" <= character <= "\x9f"
        or "\ud800" <= character <= "\udfff"
        or (character in "\ufffe\uffff")
    )
