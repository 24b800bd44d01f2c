"""A CSV file of another program, of which single cells are replaced and no other byte changes.

Cells are found in the bytes themselves: line ends, quotes, a byte order mark, trailing columns and
blank lines stay as they are.
"""

import re
from dataclasses import dataclass

MOST_BYTES = 32 << 20
BOM = b"\xef\xbb\xbf"
SEPARATORS = b",;\t"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class CellsError(Exception):
    """A file that is no table that can be filled in; the message says why, and what to do."""


@dataclass(frozen=True)
class Cell:
    """A cell: where its bytes are, quotes included, and its text."""

    start: int
    end: int
    text: str
    quoted: bool


@dataclass(frozen=True)
class Sheet:
    """A table in the bytes of a file. Rows are without those that are blank; number them with
    line() for a person."""

    data: bytes
    rows: list[list[Cell]]
    separator: str

    def texts(self, row: int) -> list[str]:
        return [cell.text for cell in self.rows[row]]

    def line(self, row: int) -> int:
        """The line of the file that a row begins in, from 1."""
        before = self.data[: self.rows[row][0].start]
        return 1 + len(re.findall(rb"\r\n|\r|\n", before))

    def filled(self, changes: dict[tuple[int, int], str]) -> bytes:
        """The file with other texts in some cells, by row and column."""
        parts, at = [], 0
        for row, column in sorted(changes):
            cell, text = self.rows[row][column], changes[row, column]
            if text == cell.text:
                continue
            parts += [self.data[at : cell.start], self._written(cell, text).encode()]
            at = cell.end
        return b"".join([*parts, self.data[at:]])

    def _written(self, cell: Cell, text: str) -> str:
        if cell.quoted or any(c in text for c in f'{self.separator}"\r\n'):
            return '"' + text.replace('"', '""') + '"'
        return text


def parse(data: bytes, name: str) -> Sheet:
    """The cells of a CSV file in UTF-8. name: of the file, for messages. The separator is the one
    of , ; and tab that the first line has most of. Raises CellsError."""
    if data.startswith(_UTF16) or b"\0" in data[:1000]:
        raise CellsError(
            f"{name} is not CSV in UTF-8 (it may be in UTF-16, or a spreadsheet): "
            "export it as CSV again, or save it as CSV UTF-8"
        )
    try:
        data.decode()
    except UnicodeDecodeError as problem:
        where = data.count(b"\n", 0, problem.start) + 1
        raise CellsError(
            f"{name}, line {where}: this is not UTF-8 (it may be Latin-1): "
            "export the file again, or save it as CSV UTF-8"
        ) from problem
    begin = len(BOM) if data.startswith(BOM) else 0
    first = re.match(rb"[^\r\n]*", data[begin:])
    head = first[0] if first else b""
    separator = max(SEPARATORS, key=head.count)
    between = re.escape(bytes([separator]))
    cell = re.compile(rb'"((?:[^"]|"")*)"(?=' + between + rb"|[\r\n]|\Z)|[^\r\n" + between + rb"]*")
    end = re.compile(rb"\r\n|\r|\n")
    rows: list[list[Cell]] = []
    row: list[Cell] = []
    at = begin
    while at <= len(data):
        match = cell.match(data, at)
        assert match is not None  # it may be empty
        raw = match[0]
        quoted = match[1] is not None
        if raw.startswith(b'"') and not quoted:
            where = len(end.findall(data[:at])) + 1
            raise CellsError(f"{name}, line {where}: a quoted cell does not end; is it damaged?")
        text = (match[1].replace(b'""', b'"') if quoted else raw).decode()
        row.append(Cell(at, match.end(), text, quoted))
        at = match.end()
        if at < len(data) and data[at] == separator:
            at += 1
            continue
        if any(each.text.strip() for each in row):
            rows.append(row)
        row = []
        newline = end.match(data, at)
        if newline is None:
            break
        at = newline.end()
    return Sheet(data, rows, chr(separator))
