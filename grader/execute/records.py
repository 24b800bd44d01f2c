"""Reads records in JSON that a student's program may have shaped."""

from typing import TypeVar

import msgspec

T = TypeVar("T")


def decode(text: bytes, kind: type[T]) -> T:
    """The record. Raises msgspec.DecodeError for everything that is none: msgspec itself has other
    errors for bytes that are no UTF-8, and for lists inside lists inside lists."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (UnicodeDecodeError, RecursionError) as problem:
        raise msgspec.DecodeError(str(problem)) from problem


def readable(text: bytes, kind: type[T]) -> T | None:
    """The record, or None if there is none that can be read."""
    try:
        return decode(text, kind)
    except msgspec.DecodeError:
        return None
