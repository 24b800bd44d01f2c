"""Fingerprints of token sequences: the hashes of their k-grams, and those that winnowing selects.

In a k-gram, each identifier of the student is the distance to where it came last: a copy with other
names has the same k-grams, and a program that uses its names in another way has not.
"""

import hashlib
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from grader.classroom.similarity.syntax import STUDENT, Token

LENGTH = 12  # tokens of a k-gram (k): a shorter match is chance
WINDOW = (
    5  # k-grams of which one is kept (w): a match of LENGTH + WINDOW - 1 tokens is always found
)

Hashes = NDArray[np.uint64]


@dataclass
class Prints:
    """A submission's k-grams. `all`: of each token, the hash of the k-gram that begins there; 0
    where its segment ends before it does. `selected`: what winnowing keeps of them, sorted."""

    all: Hashes
    selected: Hashes


def prints(segments: list[list[Token]], length: int = LENGTH, window: int = WINDOW) -> Prints:
    """The fingerprints of a submission; no k-gram reaches from one segment into the next."""
    hashes = [_hashes(segment, length) for segment in segments]
    kept = [_winnow(each[: max(0, len(each) - length + 1)], window) for each in hashes]
    none = np.zeros(0, np.uint64)
    return Prints(np.concatenate([none, *hashes]), np.unique(np.concatenate([none, *kept])))


@cache
def _code(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


@cache
def _factors(length: int) -> Hashes:
    codes = [_code(f"factor {i}") | 1 for i in range(length)]
    return np.array(codes, np.uint64)


def _hashes(segment: list[Token], length: int) -> Hashes:
    """The hash of the k-gram that begins at each token; 0 for the last length - 1."""
    result = np.zeros(len(segment), np.uint64)
    if len(segment) < length:
        return result
    last: dict[str, int] = {}
    back = np.zeros(len(segment), np.int64)
    for i, token in enumerate(segment):
        if token.text == STUDENT:
            back[i] = i - last.get(token.name, -1 << 40)
            last[token.name] = i
    codes = np.array([_code(token.text) for token in segment], np.uint64)
    steps = np.lib.stride_tricks.sliding_window_view(back, length)
    inside = np.where(steps <= np.arange(length), steps, 0).astype(np.uint64)
    windows = np.lib.stride_tricks.sliding_window_view(codes, length)
    mixed = (windows + inside * np.uint64(0x9E3779B97F4A7C15)) * _factors(length)
    mixed ^= mixed >> np.uint64(29)
    sums = (mixed * np.uint64(0xBF58476D1CE4E5B9)).sum(axis=1, dtype=np.uint64)
    sums ^= sums >> np.uint64(31)
    result[: len(sums)] = np.maximum(sums, np.uint64(1))
    return result


def _winnow(hashes: Hashes, window: int) -> Hashes:
    """Of each `window` neighbours, the smallest."""
    if not len(hashes):
        return hashes
    if len(hashes) <= window:
        return np.sort(hashes)[:1]
    views = np.lib.stride_tricks.sliding_window_view(hashes, window)
    lowest: Hashes = np.unique(views.min(axis=1))
    return lowest
