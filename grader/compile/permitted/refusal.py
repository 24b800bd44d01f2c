"""Why an object is refused, and where in it the reason is."""

from dataclasses import dataclass

from grader.compile.permitted import elf, symbol_rules
from grader.compile.permitted.elf import ObjectFile, Symbol
from grader.model import plain_text


@dataclass(frozen=True)
class Where:
    """A byte of a section, by the section's name."""

    section: str
    offset: int


@dataclass(frozen=True)
class Refusal:
    """Why an object is refused. name: the symbol, to be looked up in the source where `where`,
    the machine code that uses or holds it, is not known."""

    name: str
    text: str
    where: Where | None = None


def place(parts: ObjectFile, symbol: Symbol) -> Where | None:
    if symbol.section >= len(parts.sections):
        return None
    section = parts.sections[symbol.section]
    return Where(section.name, symbol.value) if section.flags & elf.EXECUTABLE else None


def shown(name: str) -> str:
    """The name of a symbol, as far as it can be shown without a demangler."""
    return short(symbol_rules.plain(name))


def short(name: str) -> str:
    return plain_text.line(name, 80)
