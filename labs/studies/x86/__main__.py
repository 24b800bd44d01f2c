"""Compares labs/runtime/x86.toml with the tables of iced-x86, and with gcc's intrinsics.

    python3 -m venv build/x86 && build/x86/bin/pip install iced-x86==1.21.0
    build/x86/bin/python -m labs.studies.x86

Of each opcode that objdump and iced-x86 both know and the table has: whether it accesses memory,
whether it writes it, and how many bytes. Of each function of gcc's immintrin.h and x86intrin.h, of
which one call is compiled: whether all its instructions are in the table.
"""

import re
import tempfile
from collections import Counter
from pathlib import Path

import iced_x86

from labs.runtime import x86
from labs.studies.x86 import intrinsics, opcodes

WRITES = {iced_x86.OpAccess.WRITE, iced_x86.OpAccess.READ_WRITE, iced_x86.OpAccess.COND_WRITE,
          iced_x86.OpAccess.READ_COND_WRITE}  # fmt: skip
_DECORATION = re.compile(r"\{[^}]*\}")


def differences(folder: Path) -> tuple[int, Counter[str]]:
    """How many operands in memory were compared, and what differs, each with how often."""
    compared, found = 0, Counter[str]()
    factory = iced_x86.InstructionInfoFactory()
    for code, text in opcodes.disassembled(folder).items():
        instruction = iced_x86.Decoder(64, code.ljust(opcodes.SLOT, b"\x90")).decode()
        match = x86.INSTRUCTION.match(text)
        row = x86.find(match["word"]) if match else None
        if not match or not row or instruction.is_invalid or "(%r" not in match["operands"]:
            continue
        compared += 1
        word, operands = match["word"], match["operands"].split(" #")[0]
        used = [
            m for m in factory.info(instruction).used_memory() if m.segment != iced_x86.Register.SS
        ]
        theirs = _theirs(used)
        plain = _DECORATION.sub("", operands).strip()
        ours = (0, False)
        if row.access != "none":
            ours = (row.width(operands), row.stores(is_last=plain.endswith(")")))
        if row.lane and "mm" in operands.partition("(")[2].partition(")")[0]:
            ours = (row.lane, ours[1])
        if ours != theirs and not _is_expected(word, operands, ours, theirs):
            found[f"{word} {operands}: {ours}, iced-x86 has {theirs}"] += 1
    return compared, found


def _is_expected(
    word: str, operands: str, ours: tuple[int, bool], theirs: tuple[int, bool]
) -> bool:
    """What differs on purpose: strings, whose operands no one reads; lines of a cache, which are no
    access; segments; and a few loads that the table takes for wider than they are."""
    is_wider = ours[0] > theirs[0] > 0 and ours[1] == theirs[1] is False
    return (
        (
            x86.INSTRUCTION.match(word) is not None
            and re.fullmatch(r"(movs|stos|lods|cmps|scas)[bwlq]?|clflush(opt)?|clwb", word)
            is not None
        )
        or re.search(r"%[c-gs]s\b", operands) is not None
        or (
            is_wider
            and re.fullmatch(r"punpckl\w+|vpsll[dq]|vpsr[al][dq]|vpsllw|vpsr[al]w|vmovddup", word)
            is not None
        )
    )


def _theirs(used: list[iced_x86.UsedMemory]) -> tuple[int, bool]:
    """Bytes and whether they are written, of the operand or, of a gather, of a lane."""
    if not used:
        return 0, False
    size = iced_x86.MemorySizeExt.size(used[0].memory_size)
    return size, any(m.access in WRITES for m in used)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        compared, found = differences(Path(folder))
        print(f"{len(x86.rows())} names; {compared} operands in memory compared with iced-x86")
        for line in sorted(found):
            print("   ", line)
        functions, refused = intrinsics.refused(Path(folder))
        print(f"{functions} intrinsics of gcc compiled; not in the table:")
        for word, names in sorted(refused.items()):
            print(f"    {word}: {len(names)}, such as {names[0]}()")


if __name__ == "__main__":
    main()
