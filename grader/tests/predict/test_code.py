"""The instructions of a launch, from the traced program's machine code."""

from pathlib import Path

import pytest

from grader.predict import code


def _instructions(text: str) -> list[code._Instruction]:
    rows = [line.split(maxsplit=2) for line in text.split("\n") if line]
    return [code._Instruction(int(row[0], 16), row[1], " ".join(row[2:])) for row in rows]


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
    text = _instructions(ARMS)
    monkeypatch.setattr(code, "_functions", lambda *_: [(0x10, 0x44)])
    monkeypatch.setattr(code, "_disassembled", lambda *_: text)
    executed = code.mix(code.executed(Path("program"), {0x18: 64}, set(), set()).operations)
    assert executed == {"branch": 64, "fma": 64, "divide": 0}


# A loop of ten rounds with a read, whose body has a choice that nothing counts; then, once, a
# function of the C library and one of the program, in which nothing is counted.
JOIN = """
10 xor %eax,%eax
14 call 900 <__tsan_read4>
18 comiss %xmm0,%xmm1
1c jbe 24 <k+0x14>
20 mulss %xmm0,%xmm1
24 addss %xmm0,%xmm1
28 comiss %xmm0,%xmm1
2c jbe 34 <k+0x24>
30 mulss %xmm0,%xmm1
34 dec %ecx
38 jne 14 <k+0x4>
3c call 800 <expf@plt>
40 call 60 <helper>
44 call 910 <sim_returns>
48 ret
"""
HELPER = """
60 imul %ecx,%eax
64 ret
"""


def test_joins_calls_and_waits_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {0x10: _instructions(JOIN), 0x60: _instructions(HELPER)}

    def functions(_: Path, places: set[int] | list[int]) -> list[tuple[int, int]]:
        return sorted({(0x60, 0x68) if place > 0x60 else (0x10, 0x4C) for place in places})

    monkeypatch.setattr(code, "_functions", functions)
    monkeypatch.setattr(code, "_disassembled", lambda _, start, __: texts[start])
    passes = {0x18: 320, 0x48: 32}
    found = code.executed(Path("program"), passes, loads={0x18}, stores=set())
    mix = code.mix(found.operations)
    assert mix["fma"] == 3 * 320, "a join runs no more often than what leads to it"
    assert mix["float"] == 6 * 32 and mix["special"] == 32, "expf"
    assert mix["imul"] == 32, "a function that is called"
    assert found.waits == 320, "the load of each round"


# A function that reads and, unless what it read is 0, calls itself twice.
RECURSION = """
10 call 900 <__tsan_read4>
14 test %eax,%eax
18 je 24 <sum+0x14>
1c call 10 <sum>
20 call 10 <sum>
24 ret
"""


def test_a_recursion_keeps_registers_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "_functions", lambda *_: [(0x10, 0x28)])
    monkeypatch.setattr(code, "_disassembled", lambda *_: _instructions(RECURSION))
    executed = code.executed(Path("program"), {0x14: 7}, {0x14}, set())
    assert code.mix(executed.operations)["frame"] == 7 * 32, "16 are stored and loaded by each"


# Once: a product of four numbers, one of x87, and two calls through a pointer.
POINTER = """
10 call 900 <__tsan_read4>
14 mulps %xmm0,%xmm1
18 vfmadd213pd %ymm0,%ymm1,%ymm2
1c fmulp %st,%st(1)
20 call 920 <__x86_indirect_thunk_rax>
24 call 920 <__x86_indirect_thunk_rdx>
26 call 940 <strtof@plt>
25 call 8 <__divsc3>
27 call 960 <expf@plt>
28 ret
"""
TARGETS = {
    0x60: "60 mulss %xmm0,%xmm1\n64 addss %xmm1,%xmm2\n68 ret",
    0x80: "80 mulss %xmm0,%xmm1\n84 ret",
    0xA0: "a0 call 900 <__tsan_read4>\na4 mulss %xmm0,%xmm1" + "\na8 mulss %xmm0,%xmm1" * 2,
}


def test_indirect_calls_count_their_arithmetic(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call through a pointer counts as one of the function with most arithmetic, among those in
    which nothing is counted; it and one of a library may be a sum of products, too."""
    texts = {}
    for start, text in {0x10: POINTER, **TARGETS}.items():
        rows = [line.split(maxsplit=2) for line in text.split("\n") if line]
        texts[start] = [code._Instruction(int(r[0], 16), r[1], " ".join(r[2:])) for r in rows]

    def functions(_: Path, places: set[int] | list[int]) -> list[tuple[int, int]]:
        starts = {max((s for s in texts if s < place), default=0) for place in places}
        return sorted((start, start + 0x20) for start in starts if start)

    monkeypatch.setattr(code, "_functions", functions)
    monkeypatch.setattr(code, "_disassembled", lambda _, start, __: texts[start])
    monkeypatch.setattr(code, "_pointed_to", lambda _: list(TARGETS))
    found = code.executed(Path("program"), {0x14: 32}, loads=set(), stores=set())
    mix = code.mix(found.operations)
    assert mix["fma"] == (4 + 2 * 2) * 32 and mix["fp64"] == (4 + 1) * 32
    assert found.outside == 4 * 32
    assert code.arithmetic(found) == mix["fma"] + mix["fp64"] + 2 * found.outside
