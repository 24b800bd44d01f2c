"""The attacks with programs, as the .toml files beside this one list them.

The keys of a file before its first [[attack]] are the defaults of all its attacks. What a program
is made of: material.py. What must come of it: judge.py.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

HERE = Path(__file__).parent
FILES = (
    "build",
    "run",
    "escape",
    "whole",
    "forge",
    "evidence",
    "findings",
    "foreign",
    "device",
    "hidden",
    "output",
    "decoys",
    "measures",
    "spaces",
)
ON_GPU = ("gpu", "gpu_times")  # the files of those that need a GPU
C_ONLY = (  # as C++ their declarations contradict those of the headers
    "malloc() replaced",
    "ifunc that runs before main()",
    "alias with the name of another function",
    "weak definition with the name of a function of libc",
)
RETARGETED = ("run", "escape", "evidence")  # groups whose programs in C are also made for a GPU

# What an attack must come to. nothing: no points. refused: no points, and the file does not even
# build. no error: any grade, as long as the grader is not blamed. no leak: as "no error", and
# nothing about the hidden case in what students get.
Expected = Literal["nothing", "refused", "no error", "no leak"]


class Attack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One attack with a program.

    checks: of -k; the attack must earn none of their points. seconds: it must be over by then, on
    a machine that does nothing else. limit: seconds of processor time of a case, in place of the
    lab's own. leak: what a message of a hidden case must not match, beside the word LEAK.
    backend: where it runs. timed: whether the checks include one for speed.

    The program is one of source (the text of the file), bytes (hexadecimal), body (of
    correlate_loops()), or else attack (of the gate), with `code` before it; base and edits say
    behind which file the gate stands. Labs 1 and 3 alone have a gate. file: of the lab's, that the
    attack is in; "": its first.
    """

    name: str
    group: str
    lab: str
    checks: str
    expect: Expected = "nothing"
    seconds: float = 20
    limit: float = 1
    leak: str = ""
    source: str | None = None
    bytes: str | None = None
    body: str | None = None
    attack: str = "return 1;"
    code: str = ""
    base: str = "solution"
    edits: list[list[str]] = []
    file: str = ""
    backend: str = "auto"
    timed: bool = False


def attacks() -> Iterator[Attack]:
    """All that need no GPU, in the order of the files."""
    for name in FILES:
        yield from _listed(name)


def gpu_attacks() -> Iterator[Attack]:
    """Those that need a GPU, and the attacks of programs in C, made by a program for a GPU."""
    for name in ON_GPU:
        yield from _listed(name)
    for attack in attacks():
        if (
            attack.group in RETARGETED
            and attack.lab == "lab1"
            and not (attack.source or attack.bytes or attack.body or attack.name in C_ONLY)
        ):
            yield msgspec.structs.replace(
                attack, lab="lab3", checks="identity 3x3 on a ramp", limit=10, backend="gpu"
            )


def _listed(name: str) -> Iterator[Attack]:
    """The attacks of a file. `like` names an earlier one that an attack equals, but for its own
    keys and the `changes` of the text: what is replaced, and by what."""
    listed = tomllib.loads((HERE / f"{name}.toml").read_text())
    known: dict[str, dict[str, Any]] = {}
    for entry in listed.pop("attack"):
        changes = entry.pop("changes", [])
        if like := entry.pop("like", ""):
            entry = known[like] | entry
        for old, new in changes:
            changed = _changed(entry, old, new)
            if changed == entry:
                raise ValueError(f"{entry['name']}: not in the other attack: {old!r}")
            entry = changed
        known[entry["name"]] = entry
        yield msgspec.convert(listed | entry, Attack)


def _changed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {
            key: item if key == "name" else _changed(item, old, new) for key, item in value.items()
        }
    if isinstance(value, list):
        return [_changed(item, old, new) for item in value]
    return value.replace(old, new) if isinstance(value, str) else value
