"""Names of people, compared without case, accents and the order of given and family name."""

import re
import unicodedata
from functools import lru_cache

# Letters that Unicode does not take apart into a letter and a mark.
PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe",
                       "þ": "th", "ħ": "h", "ŧ": "t"})  # fmt: skip
APOSTROPHES = re.compile("['’‘ʼ`´]")
ACCENTS = re.compile("[\u0300-\u036f]")  # of Latin, Greek and Cyrillic; other scripts' marks count
MOST = 300  # characters of a name that are compared


@lru_cache(1 << 14)
def words(name: str) -> tuple[str, ...]:
    """The words of a name, in their order. "Doe, Zoë-Ann" and "doe zoe ann" have
    the same."""
    text = unicodedata.normalize("NFKD", name[:MOST]).casefold().translate(PLAIN)
    text = APOSTROPHES.sub("", ACCENTS.sub("", unicodedata.normalize("NFKD", text)))
    kept = (c if unicodedata.category(c)[0] in "LMN" else " " for c in text)
    return tuple("".join(kept).split())


def same(one: str, other: str) -> bool:
    """Whether two names are of the same words. A name that is written as one word, as Canvas's
    download does, may be another's words in a row, given or family name first."""
    left, right = words(one), words(other)
    if not left or not right:
        return False
    if sorted(left) == sorted(right):
        return True
    return (len(left) == 1 and left[0] in _rows(right)) or (
        len(right) == 1 and right[0] in _rows(left)
    )


def _rows(parts: tuple[str, ...]) -> set[str]:
    return {"".join(parts[at:] + parts[:at]) for at in range(len(parts))}


def contradict(one: str, other: str) -> bool:
    """Whether two names can hardly be of one person: both are known, both are in Latin letters or
    neither is, and they share no word."""
    left, right = words(one), words(other)
    if not left or not right or "".join(left).isascii() != "".join(right).isascii():
        return False
    return not (set(left) & set(right)) and not same(one, other)
