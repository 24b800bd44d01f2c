"""In front of which instructions of assembly an address is reported, and which."""

import re
import subprocess
from pathlib import Path

import pytest

from labs.sim.translate import machine_accesses

CALLS = re.compile(r"\tleaq\t(?P<address>.*), %rax\n\tpushq\t\$(?P<what>\d+)\n")
STUB = """
    .globl sim_machine_access
sim_machine_access:
    ret
    .section .note.GNU-stack,"",@progbits
"""
FUNCTION = "\t.cfi_startproc\n\tsubq\t$24, %rsp\n\t.cfi_def_cfa_offset 32\n"


def reported(*instructions: str) -> list[tuple[str, int]]:
    """The addresses that are reported, and twice their bytes, plus 1 for a store."""
    lines = [*FUNCTION.splitlines(keepends=True), *(f"\t{i}\n" for i in instructions)]
    text = "".join(machine_accesses.reported("".join(lines)))
    assert [line for line in text.splitlines(keepends=True) if line in lines] == lines
    return [(m["address"], int(m["what"])) for m in CALLS.finditer(text)]


@pytest.mark.parametrize(
    ("instruction", "address", "what"),
    [
        ("movss\t(%rbx,%rax,4), %xmm0", "(%rbx,%rax,4)", 8),
        ("movl\t%eax, 12(%rdi)", "12(%rdi)", 9),
        ("movq\t$0, table(,%rcx,8)", "table(,%rcx,8)", 17),
        ("cmpl\t$3, (%rdi)", "(%rdi)", 8),
        ("addl\t$3, (%rdi)", "(%rdi)", 9),
        ("lock xaddl\t%eax, (%rdi)", "(%rdi)", 9),
        ("movzbl\t1(%rsi), %eax", "1(%rsi)", 2),
        ("movlps\t(%rdi), %xmm0", "(%rdi)", 16),
        ("movnti\t%eax, (%rdi)", "(%rdi)", 9),
        ("movntdq\t%xmm0, (%rdi)", "(%rdi)", 33),
        ("pushq\t8(%rdi)", "8(%rdi)", 16),
        ("popq\t8(%rdi)", "8(%rdi)", 17),
        ("vmovdqu8\t%zmm0, (%rdi)", "(%rdi)", 129),
        ("vaddps\t(%rdi){1to16}, %zmm1, %zmm0", "(%rdi)", 8),
        ("vpmovzxbd\t(%rdi), %ymm0", "(%rdi)", 16),
        ("vcvtpd2psy\t(%rdi), %xmm0", "(%rdi)", 64),
        ("vcmpltps\t(%rdi), %ymm1, %ymm0", "(%rdi)", 64),
        ("xchgl\t(%rdi), %eax", "(%rdi)", 9),
        ("flds\t(%rdi)", "(%rdi)", 8),
        ("fistpll\t(%rdi)", "(%rdi)", 17),
        ("lock xacquire xaddl\t%eax, (%rdi)", "(%rdi)", 9),
        ("cmpxchg16b\t(%rdi)", "(%rdi)", 33),
        ("fnstenv\t(%rdi)", "(%rdi)", 57),
        ("cmovel\t(%rdi), %eax", "(%rdi)", 8),
    ],
)
def test_an_address_with_a_register_is_reported(instruction: str, address: str, what: int) -> None:
    assert reported(instruction) == [(address, what)]


def test_pushed_arguments_shift_stack_addresses() -> None:
    assert reported("movl\t%eax, 4(%rsp,%rcx,4)") == [("4+8(%rsp,%rcx,4)", 9)]
    assert reported("movl\t%eax, (%rsp,%rcx,4)") == [("8(%rsp,%rcx,4)", 9)]


def test_the_own_frame_ends_below_the_return_address() -> None:
    assert reported("movq\t%rax, 16(%rsp)") == []
    assert reported("movq\t%rax, 24(%rsp)") == [("24+8(%rsp)", 17)]
    assert reported("movq\t%rax, -8(%rsp)") == [("-8+8(%rsp)", 17)]


def test_a_frame_pointer_is_one_only_where_the_compiler_says_so() -> None:
    assert reported("movq\t%rax, -8(%rbp)") == [("-8(%rbp)", 17)]
    begin = (".cfi_def_cfa_register 6",)
    assert reported(*begin, "movq\t%rax, -8(%rbp)") == []
    assert reported(*begin, "movq\t%rax, 8(%rbp)") == [("8(%rbp)", 17)]


@pytest.mark.parametrize(
    "instruction",
    [
        "leaq\t(%rax,%rbx), %rcx",
        "movl\tx(%rip), %eax",
        "movq\t%fs:counter@tpoff, %rbx",
        "movq\t%fs:0, %rax",
        "prefetcht0\t(%rax)",
        "nopw\t0(%rax,%rax,1)",
        "movl\t%eax, %ebx",
        "call\tf@PLT",
    ],
)
def test_non_accesses_and_named_variables_are_not_reported(instruction: str) -> None:
    assert reported(instruction) == []


def test_an_instruction_on_a_string_accesses_what_no_operand_says() -> None:
    assert reported("movsb") == [("(%rsi)", 2), ("(%rdi)", 3)]
    assert reported("stosq") == [("(%rdi)", 17)]


@pytest.mark.parametrize(
    ("instruction", "lanes", "what"),
    [
        ("vpgatherdd\t%ymm2, (%rdi,%ymm1,4), %ymm0", 8, 8),
        ("vgatherqps\t%xmm2, 8(%rdi,%ymm1,4), %xmm0", 4, 8),
        ("vgatherdpd\t%ymm2, (%rsp,%xmm1,8), %ymm0", 4, 16),
        ("vpgatherqq\t(%rdi,%zmm1,8), %zmm0{%k1}", 8, 16),
        ("vscatterdps\t%zmm0, (%rdi,%zmm1,4){%k1}", 16, 9),
        ("vpscatterqd\t%ymm0, (%rax,%zmm1){%k3}", 8, 9),
        ("vmaskmovps\t%ymm0, %ymm1, (%rdi)", 8, 9),
        ("vpmaskmovq\t8(%rsp,%rax), %xmm1, %xmm0", 2, 16),
        ("maskmovdqu\t%xmm1, %xmm0", 16, 3),
        ("maskmovq\t%mm1, %mm0", 8, 3),
        ("vmovdqu8\t%zmm0, (%rdi){%k1}", 64, 3),
        ("vmovups\t(%rdi), %zmm0{%k1}{z}", 16, 8),
        ("vpmovqb\t%zmm0, (%rdi){%k1}", 8, 3),
        ("vpcompressd\t%zmm0, (%rdi){%k1}", 16, 9),
    ],
)
def test_each_lane_that_a_mask_may_choose_is_reported(
    instruction: str, lanes: int, what: int, tmp_path: Path
) -> None:
    text = "".join(machine_accesses.reported(f"{FUNCTION}\t{instruction}\n"))
    assert re.findall(r"\tpushq\t\$(\d+)\n\tcall\tsim_machine_access", text) == [str(what)] * lanes
    (tmp_path / "x.s").write_text(text + "\t.cfi_endproc\n")
    subprocess.run(["gcc", "-c", tmp_path / "x.s", "-o", tmp_path / "x.o"], check=True)


@pytest.mark.parametrize(
    "instruction",
    ["clzero", "movdir64b\t(%rsi), %rdi", "xsavec\t(%rdi)", "fnsave\t(%rdi)", "frstor\t(%rdi)",
     "tilestored\t%tmm0, (%rdi,%rax)", "vfuture\t%zmm0, (%rdi,%zmm1,4)", "vfuture\t%ymm0, %ymm1",
     "xbegin\t.L2", "btsq\t%rax, (%rdi)", "movl\t%gs:(%rax), %eax"],
)  # fmt: skip
def test_an_instruction_that_is_not_known_is_refused_with_its_line(instruction: str) -> None:
    text = f'\t.file 1 "my/x.c"\n\t.loc 1 12 5\n\t{instruction}\n'
    with pytest.raises(machine_accesses.UnknownInstructionError, match=r"my/x.c:12: error: the in"):
        list(machine_accesses.reported(text))


GATHERS = """
    #include <immintrin.h>
    #include <stdio.h>
    extern volatile int count;
    extern unsigned long seen[64];
    int table[32];
    __attribute__((target("avx2"), noinline)) __m256i gather(__m256i at, __m256i mask) {
        return _mm256_mask_i32gather_epi32(_mm256_set1_epi32(77), table + 1, at, mask, 4);
    }
    __attribute__((target("avx2"))) int main(void) {
        for (int i = 0; i < 32; i++) table[i] = i;
        __m256i mask = _mm256_setr_epi32(-1, 0, -1, 0, -1, 0, -1, 0);
        int got[8], first = count;
        __m256i result = gather(_mm256_setr_epi32(0, 1, 2, 3, -1, 5, 30, 7), mask);
        for (int i = first, end = count; i < end; i++)
            printf("%lu ", (seen[i] - (unsigned long)table) / 4);
        _mm256_storeu_si256((__m256i *)got, result);
        for (int i = 0; i < 8; i++) printf("%d ", got[i]);
    }"""
THREAD_LOCALS = """
    #include <immintrin.h>
    #include <stdio.h>
    extern volatile int count;
    extern unsigned long seen[64];
    static _Thread_local char before[4096];
    static _Thread_local float kept[64] __attribute__((aligned(16)));
    __attribute__((noinline)) void pass(int i, __m128 v) { _mm_stream_ps(kept + i, v); }
    __attribute__((noinline)) float plain(int i) { return kept[i] += 1; }
    int main(void) {
        int first = count;
        before[count] = 1;
        pass(8, _mm_set1_ps(6));
        float sum = plain(9) + plain(11);
        for (int i = first, end = count; i < end; i++)
            if (seen[i] - (unsigned long)kept < sizeof kept)
                printf("%lu ", (seen[i] - (unsigned long)kept) / 4);
        printf("%.0f\\n", sum);
    }"""
NOTE = """
    int count;
    unsigned long seen[64];
    __attribute__((no_caller_saved_registers, target("general-regs-only")))
    void note(unsigned long address) { if (count < 64) seen[count++] = address; }
    __asm__("sim_machine_access: push %rdi; pushfq; push %rbp; mov %rsp, %rbp; and $-16, %rsp;"
            "mov %rax, %rdi; call note; leave; popfq; pop %rdi; ret; .globl sim_machine_access");
"""


def printed(text: str, folder: Path) -> str:
    """What a program prints that notes the addresses which are reported."""
    for name, source in (("x.c", text), ("note.c", NOTE)):
        (folder / name).write_text(source)
        flags = ["-O2", "-mno-red-zone", "-fno-pie", "-S"]
        command = ["gcc", *flags, str(folder / name), "-o", f"{folder / name[:-2]}.s"]
        subprocess.run(command, check=True)
    assembly = (folder / "x.s").read_text()
    (folder / "y.s").write_text("".join(machine_accesses.reported(assembly)))
    files = [folder / "y.s", folder / "note.s"]
    subprocess.run(["gcc", "-no-pie", *files, "-o", folder / "y"], check=True)
    done = subprocess.run([folder / "y"], check=True, capture_output=True, text=True)
    return done.stdout


@pytest.mark.skipif("avx2" not in Path("/proc/cpuinfo").read_text(), reason="no AVX2 here")
def test_a_gather_gives_what_it_gave_and_reports_the_lanes_of_its_mask(tmp_path: Path) -> None:
    assert printed(GATHERS, tmp_path) == "1 3 0 31 1 77 3 77 0 77 31 77 "


def test_a_place_from_the_threads_own_variables_on_is_reported_where_it_is(tmp_path: Path) -> None:
    assert printed(THREAD_LOCALS, tmp_path) == "8 9 9 11 11 14\n"


def test_assembly_that_a_header_has_is_left_alone() -> None:
    text = "#APP\n\tmovl\t(%rdi), %eax\n#NO_APP\n\tmovl\t(%rsi), %eax\n"
    found = CALLS.findall("".join(machine_accesses.reported(text)))
    assert found == [("(%rsi)", "8")]


def test_rewritten_assembly_assembles_and_links(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(
        """
        #include <stdio.h>
        int seen;
        struct five { int v[5]; };
        __attribute__((noinline)) struct five make(int x) {
            struct five f = {{x, 2, 3, 4, x}};
            return f;
        }
        int main(int argc, char **argv) {
            int near[8] = {0};
            struct five many[4];
            near[argc * 2] = 3;
            many[argc] = make(argc + 5);
            double sum = 0.5;
            for (int i = 0; i < 5; i++) sum += many[argc].v[i] * near[i % 8];
            return printf("%.1f %d\\n", sum, argv[argc] == 0) < 0;
        }"""
    )
    flags = ["-O2", "-mno-red-zone"]
    subprocess.run(["gcc", *flags, "-S", source, "-o", tmp_path / "x.s"], check=True)
    text = (tmp_path / "x.s").read_text()
    (tmp_path / "y.s").write_text("".join(machine_accesses.reported(text)))
    assert "sim_machine_access" in (tmp_path / "y.s").read_text()
    stub = tmp_path / "stub.s"
    stub.write_text(STUB)
    subprocess.run(["gcc", tmp_path / "y.s", stub, "-o", tmp_path / "y"], check=True)
    done = subprocess.run([tmp_path / "y"], check=True, capture_output=True, text=True)
    assert done.stdout == "9.5 1\n"


CALLBACK = ("movq\t%rbx, %rdi", "call\t__tsan_read4@PLT")


@pytest.mark.parametrize(
    "instructions",
    [
        (*CALLBACK, "movl\t(%rbx), %eax"),
        (*CALLBACK, "movl\t0(%rbx), %ebx"),
        (*CALLBACK, "movzbl\t3(%rbx), %eax"),
        (*CALLBACK, "movq\t%rbx, %rdi", "call\t__tsan_write4@PLT", "addl\t$1, (%rbx)"),
        (*CALLBACK, "call\tsim_mark@PLT", "movq\t%rbx, %rsi", "movl\t(%rbx), %eax"),
        (
            "leaq\t8(%rbx,%r12,4), %rdi",
            "call\t__tsan_unaligned_read16@PLT",
            "movq\t16(%rbx,%r12,4), %rax",
        ),
        ("movq\t%rbp, %rdi", "call\t__tsan_volatile_write8", "movq\t%rax, (%rbp)"),
    ],
)
def test_an_access_behind_its_callback_is_left_alone(instructions: tuple[str, ...]) -> None:
    assert reported(*instructions) == []


@pytest.mark.parametrize(
    "instructions",
    [
        (*CALLBACK, "movl\t%eax, (%rbx)"),  # a store, and the callback told of a load
        (*CALLBACK, "movq\t(%rbx), %rax"),  # wider than what it told of
        (*CALLBACK, "movl\t4(%rbx), %eax"),
        (*CALLBACK, "movl\t-1(%rbx), %eax"),
        (*CALLBACK, "movl\t(%rbx,%rax), %eax"),
        (*CALLBACK, "addq\t$4, %rbx", "movl\t(%rbx), %eax"),
        (*CALLBACK, "incl\t%ebx", "movl\t(%rbx), %eax"),
        (*CALLBACK, "movb\t$0, %bh", "movl\t(%rbx), %eax"),
        (*CALLBACK, "xchgq\t%rbx, %rax", "movl\t(%rbx), %eax"),
        (*CALLBACK, "popq\t%rbx", "movl\t(%rbx), %eax"),
        (*CALLBACK, "call\tother", "movl\t(%rbx), %eax"),
        (*CALLBACK, "cpuid", "movl\t(%rbx), %eax"),
        (*CALLBACK, "jmp\t.L2", "movl\t(%rbx), %eax"),
        ("movq\t%rbx, %rdi", "incq\t%rbx", CALLBACK[1], "movl\t(%rbx), %eax"),
        ("movq\t%rbx, %rdi", "incq\t%rdi", CALLBACK[1], "movl\t(%rbx), %eax"),
        ("movq\t%rbx, %rdi", "movl\t%eax, %edi", CALLBACK[1], "movl\t(%rbx), %eax"),
        ("movq\t%rcx, %rdi", CALLBACK[1], "movl\t(%rcx), %eax"),  # a call may change it
        ("leaq\t(%rbx,%rcx), %rdi", CALLBACK[1], "movl\t(%rbx,%rcx), %eax"),
        (*CALLBACK, CALLBACK[1], "movl\t4(%rbx), %eax"),
    ],
)
def test_uncertain_access_is_reported_again(instructions: tuple[str, ...]) -> None:
    assert len(reported(*instructions)) == 1


def test_a_callback_counts_up_to_the_next_label_where_a_jump_may_lead() -> None:
    lines = [f"\t{line}\n" for line in CALLBACK]
    access = "\tmovl\t(%rbx), %eax\n"
    for label, calls in ((".L2:\n", 1), (".LBB2:\n", 0), ("name:\n", 1)):
        text = "".join(machine_accesses.reported("".join([*lines, label, access])))
        assert text.count("sim_machine_access") == calls, label
