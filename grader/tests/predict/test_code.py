"""How often a kernel's code runs: nvcc's PTX, and the flow through its blocks."""

from pathlib import Path

import pytest

from grader.predict import code, flow, nvcc, ptx
from grader.predict.code import Loop

# A loop over n taps as nvcc writes it: four at a time, and what is left over one by one.
LOOP = """
.file 1 "a/k.cu"
.visible .entry _Z1kPKfPfi(
)
{
    .loc 1 3 1
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    setp.lt.s32 %p1, %r9, 4;
    @%p1 bra $L_rest;
$L_four:
    .loc 1 5 1
    ld.global.f32 %f1, [%rd1];
    ld.global.f32 %f2, [%rd1+4];
    ld.global.f32 %f3, [%rd1+8];
    ld.global.f32 %f4, [%rd1+12];
    fma.rn.f32 %f9, %f1, %f1, %f9;
    fma.rn.f32 %f9, %f2, %f2, %f9;
    fma.rn.f32 %f9, %f3, %f3, %f9;
    fma.rn.f32 %f9, %f4, %f4, %f9;
    add.s32 %r2, %r2, 4;
    setp.lt.s32 %p2, %r2, %r3;
    @%p2 bra $L_four;
$L_rest:
    setp.eq.s32 %p3, %r4, 0;
    @%p3 bra $L_end;
$L_one:
    .loc 1 5 1
    ld.global.f32 %f5, [%rd2];
    fma.rn.f32 %f9, %f5, %f5, %f9;
    setp.lt.s32 %p4, %r4, %r5;
    @%p4 bra $L_one;
$L_end:
    .loc 1 7 1
    st.global.f32 [%rd3], %f9;
    ret;
}
"""


def test_blocks_end_at_jumps_and_labels() -> None:
    blocks = ptx.entries(LOOP)["_Z1kPKfPfi"]
    four = next(b for b in blocks if b.anchors[("global load", "k.cu", 5)] == 4)
    assert four.anchors[("fma", "k.cu", 5)] == 4
    assert blocks.index(four) in four.next, "the loop's jump back"
    assert sum(b.leaves for b in blocks) == 1
    assert blocks[0].operations["special"] == 1, "a parameter costs nothing"


WARPS = 1000.0


def run(text: str, taps: int, entries: float = WARPS) -> flow.Executed:
    """The kernel with a loop of `taps` rounds, which all warps together come to `entries` times."""
    counted = {
        ("global load", "k.cu", 5): entries * taps,
        ("fma", "k.cu", 5): entries * taps,
        ("global store", "k.cu", 7): WARPS,
    }
    loops = [Loop("k.cu", 4, 6, entries * taps, entries)]
    return flow.executed(ptx.entries(text)["_Z1kPKfPfi"], WARPS, counted, loops)


@pytest.mark.parametrize("taps", [1, 3, 4, 7, 12, 13, 100])
def test_four_rounds_at_a_time_and_then_one_by_one(taps: int) -> None:
    executed = run(LOOP, taps)
    assert executed.operations["fma"] == pytest.approx(WARPS * taps)
    assert executed.operations["global"] == pytest.approx(WARPS * (taps + 1))
    assert executed.operations["add"] == pytest.approx(WARPS * (taps // 4))
    waits = taps // 4 + taps % 4  # the four loads of a copy wait together
    assert executed.together["global"] == pytest.approx((taps + 1) / waits)


def test_a_loop_does_not_run_without_being_entered() -> None:
    """No warp may go round in the copy with four rounds unless it came there through the test
    before it: all warps execute what is in front of a loop."""
    front = "    mov.u32 %r1, %tid.x;\n"
    text = LOOP.replace("$L_four:", f"    xor.b32 %r7, %r7, %r8;\n{front}$L_four:", 1)
    executed = run(text, 12)
    assert executed.operations["special"] == pytest.approx(2 * WARPS)
    assert executed.operations["logic"] == pytest.approx(WARPS)


def test_loads_that_need_one_another_wait_one_after_the_other() -> None:
    chain = LOOP
    for i in (1, 2, 3):
        chain = chain.replace(
            f"ld.global.f32 %f{i + 1}, [%rd1+{4 * i}];", f"ld.global.f32 %f{i + 1}, [%f{i}];"
        )
    (four,) = [b for b in ptx.entries(chain)["_Z1kPKfPfi"] if b.waits["global"] > 1]
    assert four.waits["global"] == 4
    assert run(chain, 12).together["global"] < run(LOOP, 12).together["global"] / 3


def test_accesses_under_a_condition_may_be_passed_without_being_executed() -> None:
    text = LOOP.replace("    st.global.f32 [%rd3], %f9;", "    @%p7 st.global.f32 [%rd3], %f9;")
    blocks = ptx.entries(text)["_Z1kPKfPfi"]
    counted = {("global store", "k.cu", 7): WARPS / 2}
    few = flow.executed(blocks, WARPS, counted, [])
    assert few.operations["global"] >= WARPS


def test_a_function_that_is_called_belongs_to_the_kernel() -> None:
    called = """
.func  (.param .b32 func_retval0) _Z4sideff(
)
{
    .loc 1 9 1
    ld.global.f32 %f1, [%rd1];
    fma.rn.f32 %f9, %f1, %f1, %f9;
    ret;
}
"""
    call = "    call.uni (retval0), \n    _Z4sideff, \n    (\n    param0, \n    param1\n    );\n"
    text = called + LOOP.replace("$L_end:\n", f"$L_end:\n{call}", 1)
    counted = {("global load", "k.cu", 9): WARPS, ("global store", "k.cu", 7): WARPS}
    blocks = ptx.entries(text)["_Z1kPKfPfi"]
    executed = flow.executed(blocks, WARPS, counted, [])
    assert executed.operations["fma"] == pytest.approx(WARPS)
    assert executed.calls == pytest.approx({"_Z4sideff": WARPS})
    assert list(ptx.entries(text)) == ["_Z1kPKfPfi"]


# A loop of the source in two copies: a parameter chooses the one that tests each element, or the
# cheaper one, which does not. Each is a loop within a loop.
COPIES = """
.file 1 "a/k.cu"
.visible .entry _Z1kPKfPfi(
)
{
    .loc 1 3 1
    mov.u32 %r1, %tid.x;
    @%p1 bra $L_cheap;
$L_outer:
    .loc 1 4 1
    add.s32 %r3, %r3, 1;
$L_tested:
    .loc 1 5 1
    setp.lt.s32 %p2, %r2, %r9;
    @%p2 bra $L_skip;
    .loc 1 6 1
    ld.global.f32 %f5, [%rd2];
    fma.rn.f32 %f9, %f5, %f5, %f9;
    xor.b32 %r7, %r7, %r8;
$L_skip:
    @%p4 bra $L_tested;
    @%p5 bra $L_outer;
    bra.uni $L_end;
$L_cheap:
    add.s32 %r3, %r3, 1;
$L_each:
    .loc 1 6 1
    ld.global.f32 %f5, [%rd2];
    fma.rn.f32 %f9, %f5, %f5, %f9;
    @%p6 bra $L_each;
    @%p7 bra $L_cheap;
$L_end:
    .loc 1 8 1
    st.global.f32 [%rd3], %f9;
    ret;
}
"""


@pytest.mark.parametrize("tested", [True, False])
def test_a_condition_tells_which_copy_of_a_loop_runs(tested: bool) -> None:
    counted = {("global load", "k.cu", 6): 49 * WARPS, ("fma", "k.cu", 6): 49 * WARPS}
    counted |= {("compare", "k.cu", 5): 49 * WARPS} if tested else {}
    loops = [Loop("k.cu", 3, 7, 7 * WARPS, WARPS), Loop("k.cu", 4, 7, 49 * WARPS, 7 * WARPS)]
    executed = flow.executed(ptx.entries(COPIES)["_Z1kPKfPfi"], WARPS, counted, loops)
    assert executed.operations["fma"] == pytest.approx(49 * WARPS)
    assert executed.operations.get("logic", 0.0) == pytest.approx(49 * WARPS if tested else 0)


def test_a_loop_around_another_makes_its_own_rounds_only() -> None:
    """Seven rounds of seven: the outer loop is entered once by each warp, not by a seventh."""
    text = COPIES.replace(
        "    @%p1 bra $L_cheap;", "    @%p1 bra $L_end;\n    sin.approx %f1, %f2;"
    )
    counted = {("fma", "k.cu", 6): 49 * WARPS, ("compare", "k.cu", 5): 49 * WARPS}
    loops = [Loop("k.cu", 3, 7, 7 * WARPS, WARPS), Loop("k.cu", 4, 7, 49 * WARPS, 7 * WARPS)]
    executed = flow.executed(ptx.entries(text)["_Z1kPKfPfi"], WARPS, counted, loops)
    assert executed.operations["divide"] == pytest.approx(WARPS)
    assert executed.operations["add"] == pytest.approx(7 * WARPS)


@pytest.mark.parametrize(
    ("rounds", "sizes", "runs"),
    [
        (9, [1, 4], {4: 2, 1: 1}),
        (3, [1, 4], {4: 0, 1: 3}),
        (31, [16, 4, 1, 8], {16: 1, 8: 1, 4: 1, 1: 3}),
        (4.5, [4, 1], {4: 1, 1: 0.5}),
    ],
)
def test_copies_of_a_loop(rounds: float, sizes: list[int], runs: dict[int, float]) -> None:
    assert flow.unrolled(rounds, sizes) == pytest.approx(runs)


def test_constants_at_a_fixed_address_are_free() -> None:
    text = LOOP.replace("ld.global.f32 %f5, [%rd2];", "ld.const.f32 %f5, [c_mask+4];")
    blocks = ptx.entries(text)["_Z1kPKfPfi"]
    assert not any(b.operations["constant"] for b in blocks)
    text = LOOP.replace("ld.global.f32 %f5, [%rd2];", "ld.const.f32 %f5, [%rd2];")
    blocks = ptx.entries(text)["_Z1kPKfPfi"]
    assert sum(b.operations["constant"] for b in blocks) == 1


def test_registers_of_each_kernel() -> None:
    said = (
        "ptxas info    : Compiling entry function '_Z1av' for 'sm_90'\n"
        "ptxas info    : Used 40 registers, used 1 barriers, 9216 bytes smem\n"
        "ptxas info    : Compiling entry function '_Z1bv' for 'sm_90'\n"
        "ptxas info    : Used 16 registers\n"
    )
    assert nvcc.read_registers(said) == {"_Z1av": 40, "_Z1bv": 16}


def test_registers_that_a_called_function_saves() -> None:
    said = (
        "ptxas info    : Function properties for _Z1av\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 34 registers, used 0 barriers, 32 bytes cumulative stack size\n"
        "ptxas info    : Function properties for _Z3sumi\n"
        "    72 bytes stack frame, 68 bytes spill stores, 64 bytes spill loads\n"
    )
    assert nvcc.read_spills(said) == {"_Z1av": (0, 0), "_Z3sumi": (17, 16)}


def test_local_memory_is_counted_in_words_of_a_lane() -> None:
    accesses = "    ld.local.f32 %f1, [%rd9];\n    st.local.f64 [%rd9], %fd1;\n"
    blocks = ptx.entries(LOOP.replace("    st.global", f"{accesses}    st.global"))["_Z1kPKfPfi"]
    found = [(b.operations["local"], b.operations["local store"]) for b in blocks]
    assert max(found) == (1, 2)


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
    executed = code.mix(code.operations(Path("program"), {0x18: 64}))
    assert executed == {"branch": 64, "fma": 64, "divide": 0}
