"""The instructions of a launch, from the traced program's machine code."""

from pathlib import Path

import pytest

from grader.predict import code

# The simulator's code of `if (test) { read; multiply } else { read; divide }`.
ARMS = """
10 jne 30 <k+0x20>
14 call 900 <__tsan_read4>
18 mulss %xmm0,%xmm1
1c jmp 40 <k+0x30>
30 call 900 <__tsan_read4>
34 divss %xmm0,%xmm1
40 ret
"""


def test_an_arm_whose_access_was_never_made_ran_no_times(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [line.split(maxsplit=2) for line in ARMS.split("\n") if line]
    text = [code._Instruction(int(row[0], 16), row[1], " ".join(row[2:])) for row in rows]
    monkeypatch.setattr(code, "_functions", lambda *_: [(0x10, 0x44)])
    monkeypatch.setattr(code, "_disassembled", lambda *_: text)
    executed = code.mix(code.executed(Path("program"), {0x18: 64}, set(), set()).operations)
    assert executed == {"branch": 64, "fma": 64, "divide": 0}
