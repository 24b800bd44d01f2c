"""The questions of a class for a learning management system: Moodle's XML, and QTI 2.1.

For instructors only: the files contain the answer keys. Each student has a category, or a folder,
of questions.
"""

import html
import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree as Xml

from grader import files
from grader.classroom.export.junit import clean
from grader.model.question import Asked, QuizKeys

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
RIGHT = "http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"
_XML = b'<?xml version="1.0" encoding="utf-8"?>\n'


def moodle_xml(quizzes: Iterable[QuizKeys]) -> Iterator[tuple[str, bytes]]:
    """One file for Moodle's question bank."""
    root = Xml.Element("quiz")
    for made in quizzes:
        place = f"$course$/top/convlabs/{made.lab}/{made.student.replace('/', '//')}"
        _add(_add(_add(root, "question", type="category"), "category"), "text", place)
        root.extend(_moodle(asked) for asked in made.asked)
    yield "quiz.xml", _XML + Xml.tostring(root, encoding="utf-8") + b"\n"


def qti(quizzes: Iterable[QuizKeys]) -> Iterator[tuple[str, bytes]]:
    """A package with an item for each question."""
    manifest = Xml.Element("manifest", xmlns=PACKAGE, identifier="convlabs")
    metadata = _add(manifest, "metadata")
    _add(metadata, "schema", "QTIv2.1 Package")
    _add(metadata, "schemaversion", "1.0.0")
    _add(manifest, "organizations")
    resources = _add(manifest, "resources")
    packed: dict[str, bytes] = {}
    for number, made in enumerate(quizzes):
        student = re.sub(r"[^A-Za-z0-9_-]", "_", made.student)[:80]
        for asked in made.asked:
            name = f"q{number}-{asked.question.id}"
            path = f"{made.lab}/{student}/{name}.xml"
            kind = "imsqti_item_xmlv2p1"
            resource = _add(resources, "resource", identifier=name, type=kind, href=path)
            _add(resource, "file", href=path)
            packed[path] = _XML + Xml.tostring(_item(asked, name), encoding="utf-8")
    packed["imsmanifest.xml"] = _XML + Xml.tostring(manifest, encoding="utf-8")
    yield "quiz.zip", files.zipped(packed)


FORMATS = {"moodle-xml": moodle_xml, "qti": qti}


def _moodle(asked: Asked) -> Xml.Element:
    question, key = asked.question, asked.key
    found = Xml.Element("question", type="numerical" if question.typed else "multichoice")
    _add(_add(found, "name"), "text", question.id)
    _add(_add(found, "questiontext", format="html"), "text", _shown(asked))
    _add(_add(found, "generalfeedback", format="html"), "text", html.escape(key.why))
    _add(found, "defaultgrade", "1")
    if not question.typed:
        _add(found, "single", "true")
        _add(found, "shuffleanswers", "true")
        _add(found, "answernumbering", "abc")
    others = [number for number in key.mistakes if number not in question.options]
    for option in [*question.options, *others]:
        fraction = "100" if option == key.answer else "0"
        form = "moodle_auto_format" if question.typed else "html"
        answer = _add(found, "answer", fraction=fraction, format=form)
        _add(answer, "text", option if question.typed else html.escape(option))
        if question.typed:
            _add(answer, "tolerance", "0")
        why = html.escape(key.mistakes.get(option, ""))
        _add(_add(answer, "feedback", format="html"), "text", why)
    return found


def _item(asked: Asked, name: str) -> Xml.Element:
    question, key = asked.question, asked.key
    item = Xml.Element(
        "assessmentItem", xmlns=QTI, identifier=name, title=question.id, adaptive="false",
        timeDependent="false",
    )  # fmt: skip
    one = {"cardinality": "single"}
    kind = "integer" if question.typed else "identifier"
    declared = _add(item, "responseDeclaration", identifier="RESPONSE", **one, baseType=kind)
    place = f"c{question.options.index(key.answer)}"
    _add(_add(declared, "correctResponse"), "value", key.answer if question.typed else place)
    _add(item, "outcomeDeclaration", identifier="SCORE", **one, baseType="float")
    body = _add(item, "itemBody")
    asks = {"responseIdentifier": "RESPONSE"}
    if question.line:
        _add(body, "pre", _quoted(asked))
    if question.typed:
        _add(_add(body, "p", question.text + " "), "textEntryInteraction", **asks)
    else:
        choices = _add(body, "choiceInteraction", **asks, shuffle="true", maxChoices="1")
        _add(choices, "prompt", question.text)
        for number, option in enumerate(question.options):
            _add(choices, "simpleChoice", option, identifier=f"c{number}")
    _add(item, "responseProcessing", template=RIGHT)
    return item


def _quoted(asked: Asked) -> str:
    return f"{asked.question.file}:{asked.question.line}\n{asked.question.code}"


def _shown(asked: Asked) -> str:
    code = f"<pre>{html.escape(_quoted(asked))}</pre>" if asked.question.line else ""
    return f"{code}<p>{html.escape(asked.question.text)}</p>"


def _add(parent: Xml.Element, tag: str, text: str | None = None, **keys: str) -> Xml.Element:
    added = Xml.SubElement(parent, tag, keys)
    added.text = text if text is None else clean(text)
    return added
