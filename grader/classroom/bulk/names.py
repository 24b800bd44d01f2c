"""What the page calls each student: the name, or a pseudonym that only the run's key can make.

A pseudonym is the same on every page of a run. Without the key, which is in the run's store, no
one can compute the pseudonyms of a list of names and compare them.
"""

import base64
import hashlib
import hmac
import re
import secrets
import unicodedata
from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

from grader.classroom.bulk.store import Store
from grader.classroom.course.students import Student

SETTING = "pseudonym key"  # of the store
LENGTH = 8  # characters of a pseudonym, 5 bits each
INSTEAD = "[name]"
LEAST_INSIDE = 4  # characters of an identifier that is also replaced inside a longer word
LEAST_PART = 3  # characters of a part of a name that is replaced where it is a word by itself


class Names:
    """The names of all students, as one page shows them. key: None shows their real names."""

    def __init__(self, everybody: Iterable[Student], key: bytes | None) -> None:
        everybody = list(everybody)
        self.are_real = key is None
        self._shown = _real(everybody) if key is None else _pseudonyms(everybody, key)
        self._known = _pattern(everybody)

    def of(self, student: Student) -> str:
        return self._shown[student.id]

    def anchor(self, student: Student) -> str:
        """The id of the student's row; a fragment of a link. It holds no name."""
        hashed = hashlib.sha256(student.id.encode(errors="replace")).hexdigest()
        return f"s-{hashed[:16] if self.are_real else self.of(student)}"

    def address(self, student: Student) -> str:
        """An e-mail address or login, to find the student by; "" beside a pseudonym."""
        return student.person.email or student.person.login if self.are_real else ""

    def text(self, text: str) -> str:
        """A message or a reason, without the students' names where these are pseudonyms."""
        return text if self.are_real else self.nameless(text)

    def nameless(self, text: str) -> str:
        """A text with INSTEAD for every name in it."""
        return self._known.sub(INSTEAD, unicodedata.normalize("NFC", text))


def key(store: Store) -> bytes:
    """The key of a run's pseudonyms, made when it is first asked for. Raises
    sqlite3.OperationalError."""
    kept = store.setting(SETTING)
    if not kept:
        kept = secrets.token_bytes(32)
        store.keep_setting(SETTING, kept)
    return kept


def _real(everybody: list[Student]) -> dict[str, str]:
    """By id: the name as the person is called, or the id where two would be called the same."""
    counts = Counter(each.person.name for each in everybody)
    return {
        each.id: each.person.name if counts[each.person.name] == 1 and each.person.name else each.id
        for each in everybody
    }


def _pseudonyms(everybody: list[Student], key: bytes) -> dict[str, str]:
    """By id: the first letters of a keyed hash of the id."""
    digests = {
        each.id: hmac.digest(key, each.id.encode(errors="surrogatepass"), "sha256")
        for each in everybody
    }
    return {id_: base64.b32encode(d).decode()[:LENGTH].lower() for id_, d in digests.items()}


def _pattern(everybody: Iterable[Student]) -> re.Pattern[str]:
    """Whatever names a student: identifiers and whole names, also inside a longer word such as a
    file's name; short ones and the parts of a name where they are words by themselves."""
    inside: set[str] = set()
    alone: set[str] = set()
    for student in everybody:
        whole = {name for each in student.names() for name in (each, unquote(each))}
        whole |= {each.student for each in student.submissions}
        for name in whole:
            (inside if len(name) >= LEAST_INSIDE else alone).add(name)
            alone |= {part for part in re.split(r"[\W_]+", name) if len(part) >= LEAST_PART}
    texts = [_any(inside), rf"(?<![^\W_])(?:{_any(alone)})(?![^\W_])"]
    return re.compile("|".join(texts), re.IGNORECASE)


def _any(names: set[str]) -> str:
    """A pattern for any of the names, the longest first; of nothing, one that never matches."""
    texts = {unicodedata.normalize("NFC", name).strip() for name in names} - {""}
    return (
        "|".join(re.escape(text) for text in sorted(texts, key=lambda t: (-len(t), t))) or r"(?!)"
    )
