"""JUnit's XML: a suite per student and lab. A `failure` is the student's, an `error` is ours."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree as Xml

from grader.classroom.course.final import Final
from grader.classroom.export import grades as grading
from grader.classroom.export import not_graded
from grader.classroom.export.grades import Grades
from grader.model.result import Check, Result

FORBIDDEN = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(grades: Grades) -> Iterator[tuple[str, bytes]]:
    root = Xml.Element("testsuites", name="convlabs")
    for grade in grades.every:
        root.append(_ungraded(grade) if grade.result is None else _suite(grade, grade.result))
    Xml.indent(root)
    yield "junit.xml", Xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _empty(grade: Final) -> Xml.Element:
    """A suite that says the final points, and what lateness or an override made of them."""
    suite = Xml.Element("testsuite", name=clean(f"{grade.student.id} {grade.lab}"))
    if grade.points is not None:
        properties = Xml.SubElement(suite, "properties")
        values = {"points": grade.points, "out of": grade.out_of}
        texts = {name: grading.number(value) for name, value in values.items()}
        for name, text in {**texts, "note": grading.outcome(grade)}.items():
            if text:
                Xml.SubElement(properties, "property", name=name, value=clean(text))
    return suite


def _suite(grade: Final, result: Result) -> Xml.Element:
    suite = _empty(grade)
    for check in result.checks:
        suite.append(_case(grade, check))
    return _counted(suite)


def _ungraded(grade: Final) -> Xml.Element:
    """A suite of one case, which says why nothing was graded."""
    suite = _empty(grade)
    case = Xml.SubElement(suite, "testcase", classname=clean(grade.student.id), name=grade.lab)
    outcome = {"rejected": "failure", "error": "error"}.get(grade.status, "skipped")
    Xml.SubElement(case, outcome, message=clean(not_graded.sentence(grade)))
    return _counted(suite)


def _case(grade: Final, check: Check) -> Xml.Element:
    where = clean(f"{grade.student.id}.{grade.lab}.{check.kind}")
    case = Xml.Element(
        "testcase", classname=where, name=clean(check.title()), time=f"{check.seconds:.3f}"
    )
    if check.verdict in ("fail", "error"):
        outcome = "failure" if check.verdict == "fail" else "error"
        message = clean(check.message[0]) if check.message else ""
        detail = Xml.SubElement(case, outcome, message=message, type=check.diagnosis or check.kind)
        detail.text = clean("\n".join(check.message))
    elif check.verdict in ("skip", "uncertain"):
        Xml.SubElement(case, "skipped", message=clean(" ".join(check.reasons())))
    return case


def _counted(suite: Xml.Element) -> Xml.Element:
    """The suite, with the counts that JUnit expects in its attributes."""
    suite.set("tests", str(len(suite.findall("testcase"))))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(len(suite.findall(f"testcase/{tag}"))))
    return suite


def clean(text: str) -> str:
    """The text with a "?" for every character that XML 1.0 forbids: one makes a file unreadable."""
    return FORBIDDEN.sub("?", text)
