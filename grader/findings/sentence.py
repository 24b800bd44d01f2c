"""The sentence of a finding: its entry of the catalogue, about its record."""

import re

from grader.findings import catalogue
from grader.findings.phrases import Phrases
from grader.findings.record import Record

ONE_BYTE = re.compile(r"(?<![\w.,])1 bytes\b")


def sentence(record: Record, near: str = "") -> str:
    """What the record means. near: a file that the reader sees named before it, so that other lines
    of it are reported by their number alone."""
    template = catalogue.TEMPLATES.get((record.kind, record.case), catalogue.UNKNOWN)
    text = template.format_map(Phrases(record, near)).strip()
    return ONE_BYTE.sub("1 byte", text)
