"""The records of `./grade log`, and what a log must end with."""

import hashlib
import json
from typing import Any, Literal

import msgspec


class Change(msgspec.Struct, frozen=True):
    """How the files differ from those of the grade before; first: there was none."""

    added: int = 0
    removed: int = 0
    first: bool = False

    def words(self) -> str:
        if self.first:
            return "first"
        return f"+{self.added} -{self.removed}" if self.added or self.removed else "none"


class Entry(msgspec.Struct, frozen=True):
    """One grade. hash: of all other keys; previous: the hash of the entry before. counters: of the
    technique checks, by name; predicted: microseconds of the speed checks that need a GPU. by:
    "assistant" where one asked for the grade; "" for the student."""

    number: int
    when: str
    previous: str
    lab: str
    selected: str
    files: dict[str, str]
    change: Change
    passed: int
    checks: int
    earned: float
    measured: float
    failed: list[str]
    counters: dict[str, float]
    predicted: dict[str, float]
    why: str
    hash: str = ""
    schema: Literal["convlabs-log/v1"] = "convlabs-log/v1"
    by: Literal["", "assistant"] = ""

    def own_hash(self) -> str:
        return _hash_of(self)


class Call(msgspec.Struct, frozen=True):
    """One call of a tool of `./grade mcp`. about: what it was asked for, such as "A 2", the second
    hint of part A. The other keys are those of an Entry."""

    number: int
    when: str
    previous: str
    lab: str
    tool: str
    about: str
    hash: str = ""
    schema: Literal["convlabs-call/v1"] = "convlabs-call/v1"

    def own_hash(self) -> str:
        return _hash_of(self)


Record = Entry | Call


def _hash_of(record: Record) -> str:
    table: dict[str, Any] = msgspec.to_builtins(record)
    del table["hash"]
    if not table.get("by"):  # as in logs of before there were assistants
        table.pop("by", None)
    text = json.dumps(table, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class Head(msgspec.Struct, frozen=True):
    """What the log must end with."""

    count: int
    hash: str
