"""The questions of a class for a learning management system: Moodle's XML, and QTI 2.1.

For who teaches: the files hold the keys. Each student has a category, or a folder, of questions.
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
        category = Xml.SubElement(root, "question", type="category")
        place = f"$course$/top/convlabs/{made.lab}/{made.student.replace('/', '//')}"
        _text(Xml.SubElement(category, "category"), place)
        for asked in made.asked:
            root.append(_moodle(asked))
    yield "quiz.xml", _XML + Xml.tostring(root, encoding="utf-8") + b"\n"


def qti(quizzes: Iterable[QuizKeys]) -> Iterator[tuple[str, bytes]]:
    """A package with an item for each question."""
    manifest = Xml.Element("manifest", xmlns=PACKAGE, identifier="convlabs")
    metadata = Xml.SubElement(manifest, "metadata")
    Xml.SubElement(metadata, "schema").text = "QTIv2.1 Package"
    Xml.SubElement(metadata, "schemaversion").text = "1.0.0"
    Xml.SubElement(manifest, "organizations")
    resources = Xml.SubElement(manifest, "resources")
    packed: dict[str, bytes] = {}
    for number, made in enumerate(quizzes):
        for asked in made.asked:
            name = f"q{number}-{asked.question.id}"
            path = f"{made.lab}/{_safe(made.student)}/{name}.xml"
            resource = Xml.SubElement(
                resources, "resource", identifier=name, type="imsqti_item_xmlv2p1", href=path
            )
            Xml.SubElement(resource, "file", href=path)
            packed[path] = _XML + Xml.tostring(_item(asked, name), encoding="utf-8")
    packed["imsmanifest.xml"] = _XML + Xml.tostring(manifest, encoding="utf-8")
    yield "quiz.zip", files.zipped(packed)


FORMATS = {"moodle-xml": moodle_xml, "qti": qti}


def _moodle(asked: Asked) -> Xml.Element:
    question, key = asked.question, asked.key
    found = Xml.Element("question", type="numerical" if question.typed else "multichoice")
    _text(Xml.SubElement(found, "name"), question.id)
    _text(Xml.SubElement(found, "questiontext", format="html"), _shown(asked))
    _text(Xml.SubElement(found, "generalfeedback", format="html"), html.escape(key.why))
    Xml.SubElement(found, "defaultgrade").text = "1"
    if not question.typed:
        Xml.SubElement(found, "single").text = "true"
        Xml.SubElement(found, "shuffleanswers").text = "true"
        Xml.SubElement(found, "answernumbering").text = "abc"
    for option in question.options:
        fraction = "100" if option == key.answer else "0"
        form = "moodle_auto_format" if question.typed else "html"
        answer = Xml.SubElement(found, "answer", fraction=fraction, format=form)
        Xml.SubElement(answer, "text").text = clean(
            option if question.typed else html.escape(option)
        )
        if question.typed:
            Xml.SubElement(answer, "tolerance").text = "0"
        why = html.escape(key.mistakes.get(option, ""))
        _text(Xml.SubElement(answer, "feedback", format="html"), why)
    return found


def _item(asked: Asked, name: str) -> Xml.Element:
    question, key = asked.question, asked.key
    item = Xml.Element(
        "assessmentItem", xmlns=QTI, identifier=name, title=question.id, adaptive="false",
        timeDependent="false",
    )  # fmt: skip
    kind = "integer" if question.typed else "identifier"
    declared = Xml.SubElement(
        item, "responseDeclaration", identifier="RESPONSE", cardinality="single", baseType=kind
    )
    place = f"c{question.options.index(key.answer)}"
    right = Xml.SubElement(declared, "correctResponse")
    Xml.SubElement(right, "value").text = key.answer if question.typed else place
    Xml.SubElement(
        item, "outcomeDeclaration", identifier="SCORE", cardinality="single", baseType="float"
    )
    body = Xml.SubElement(item, "itemBody")
    if question.line:
        Xml.SubElement(body, "pre").text = clean(_quoted(asked))
    if question.typed:
        paragraph = Xml.SubElement(body, "p")
        paragraph.text = clean(question.text) + " "
        Xml.SubElement(paragraph, "textEntryInteraction", responseIdentifier="RESPONSE")
    else:
        choices = Xml.SubElement(
            body, "choiceInteraction", responseIdentifier="RESPONSE", shuffle="true", maxChoices="1"
        )
        Xml.SubElement(choices, "prompt").text = clean(question.text)
        for number, option in enumerate(question.options):
            choice = Xml.SubElement(choices, "simpleChoice", identifier=f"c{number}")
            choice.text = clean(option)
    Xml.SubElement(item, "responseProcessing", template=RIGHT)
    return item


def _quoted(asked: Asked) -> str:
    return f"{asked.question.file}:{asked.question.line}\n{asked.question.code}"


def _shown(asked: Asked) -> str:
    code = f"<pre>{html.escape(_quoted(asked))}</pre>" if asked.question.line else ""
    return f"{code}<p>{html.escape(asked.question.text)}</p>"


def _text(parent: Xml.Element, text: str) -> None:
    Xml.SubElement(parent, "text").text = clean(text)


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:80]
