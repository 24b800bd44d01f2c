"""The machine code by line: of a short listing, of odd ones, and of a lab's solution with nvcc."""

import os
import shutil
from pathlib import Path

import pytest

from grader import exit_codes, paths
from grader.commands import code as command
from grader.commands.errors import CommandError
from grader.execute.profile import Launch
from grader.machine_code import lines, page, report, terminal, words
from grader.machine_code.lines import Line
from grader.machine_code.ran import Ran
from grader.predict import estimate, gpu
from grader.sass import compiled, listing, resources
from grader.sass.compiled import Code

SOURCE = """\
__device__ float at(const float *p, int i) { return p[i]; }
__global__ void blur(const float *in, float *out, int n) {
    __shared__ float t[64];
    float s = 0;
    for (int i = 0; i < n; i++) {
        s += t[i] * at(in, i);
    }
    out[0] = s;
    for (int i = 0; i < n; i++) {
        s += t[i];
    }
}
"""
HEAD = """\
	.section	.text._Z4blurILi3EEvPKfPfi,"ax",@progbits
        .other          _Z4blurILi3EEvPKfPfi,@"STO_CUDA_ENTRY STV_DEFAULT"
"""
LISTING = [
    ('File "k.cu", line 5', "LDG.E.128 R4, desc[UR4][R2.64]"),
    (".L_x_1:", ""),
    ('File "k.cu", line 1 inlined at "k.cu", line 6', "LDG.E R0, desc[UR4][R2.64]"),
    ("", "@P0 BRA `(.L_x_2)"),
    ("", "LDG.E R1, desc[UR4][R2.64+0x4]"),
    ("", "BRA `(.L_x_3)"),
    (".L_x_2:", ""),
    ("", "LDG.E R1, desc[UR4][R2.64+0x8]"),
    (".L_x_3:", ""),
    ('File "k.cu", line 6', "LDS R2, [R3]"),
    ("", "LDS.64 R8, [R3+0x8]"),
    ("", "FFMA R4, R0, c[0x3][0x10], R4"),
    ("", "@!P1 BRA `(.L_x_1)"),
    ('File "k.cu", line 8', "STL [R1], R4"),
    ("", "EXIT"),
]
PTXAS = """\
ptxas info    : Compiling entry function '_Z4blurILi3EEvPKfPfi' for 'sm_90'
ptxas info    : Function properties for _Z4blurILi3EEvPKfPfi
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 41 registers, used 1 barriers, 256 bytes smem
"""
NAME = "_Z4blurILi3EEvPKfPfi"


def text() -> str:
    rows, address = [HEAD], 0
    for mark, code in LISTING:
        rows += [mark if mark.startswith(".") else f"\t//## {mark}"] if mark else []
        rows += [f"        /*{address:04x}*/                   {code} ;"] if code else []
        address += 16 if code else 0
    return "\n".join(rows)


@pytest.fixture
def code() -> Code:
    return Code(listing.read(text().splitlines()), resources.read(PTXAS.splitlines()))


def by_line(code: Code) -> dict[int, Line]:
    found = lines.of_function(code.functions[0], {"k.cu": SOURCE})
    return {line.place[1]: line for line in found}


def said(code: Code, line: int, ran: Ran | None = None) -> str:
    return words.sentence(by_line(code)[line], code.resources[NAME], ran)


def test_listing_has_each_instruction_with_its_line_and_the_calls_around_it(code: Code) -> None:
    (function,) = code.kernels
    assert function.labels == {".L_x_1": 16, ".L_x_2": 80, ".L_x_3": 96}
    assert function.code[1].chain == (("k.cu", 1), ("k.cu", 6))
    assert function.code[2].text() == "@P0 BRA `(.L_x_2)"
    assert words.names(code.functions)[NAME] == "blur<3>(float const*, float*, int)"


def test_instructions_are_counted_by_kind_and_width(code: Code) -> None:
    assert words.counted(by_line(code)[6]) == "1 LDS, 1 LDS.64, 1 constant operand, 1 FMA, 1 branch"


def test_what_the_code_shows_is_said(code: Code) -> None:
    assert "hoisted: LDG.128 stands before the loop of line 5" in said(code, 5)
    # Three loads, of which a round meets two: the branches exclude each other.
    assert said(code, 1) == "unrolled: 2 LDG in one round of the loop"
    assert "FFMA is product and sum in one" in said(code, 6)
    assert "unrolled" not in said(code, 6)
    assert said(code, 8) == "spilled registers are in local memory (STL)"


def test_an_access_that_is_wider_than_in_the_source_is_a_merged_one(code: Code) -> None:
    place = ("k.cu", 6), "shared", "load"
    one = Launch(0, "blur", "k.cu", 1, (2, 1, 1), (64, 1, 1), 256, 2, 2, True, [])
    ran = Ran(one, {place: 12}, {place: 4})
    assert "LDS.64 merges 2 accesses of 4 bytes" in said(code, 6, ran)
    assert "in the run 3 shared loads per warp" in said(code, 6, ran)
    assert "LDS.64 moves 8 bytes at once" in said(code, 6)


def test_resources_and_resident_blocks(code: Code) -> None:
    needs = code.resources[NAME]
    assert (needs.registers, needs.local, needs.shared) == (41, 8, 256)
    assert (
        estimate.resident_blocks(gpu.gpu(), 256, 256, needs.registers) == 5
    )  # 41 registers are 48: 42 warps, of which 40 in fours
    assert estimate.resident_blocks(gpu.gpu(), 1024, 200_000, 32) == 1


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "\t//## File before any function, line x",
        HEAD + "        /*0000*/   LDG.E ;\n        /*zz*/ X ;\n/*" + "9" * 99_999,
        HEAD + '\t//## File "a"b.cu", line 99999999999\n        /*0000*/  BRA `(.L_x_9) ;',
        HEAD + '.L_x_0:\n\t//## File "k.cu", line 99999\n        /*0000*/  BRA `(.L_x_0) ;',
        HEAD + '\t//## File "<script>", line 1\n        /*0000*/  @P0 BRA `(.L_x_0) ;\n.L_x_0:',
    ],
)
def test_odd_listings_are_read(odd: str) -> None:
    made = Code(listing.read(odd.splitlines()), resources.read([*odd.splitlines(), *PTXAS.split()]))
    sources = {"k.cu": SOURCE.splitlines(), "<script>": [""]}
    texts = {file: "\n".join(rows) for file, rows in sources.items()}
    found = report.kernels(made, texts, {})
    assert (
        "<script>" not in page.page("<b>", found, sources).split("</style>")[1].split("<script")[0]
    )
    terminal.text(found, sources, 40)


def test_without_nvcc_it_offers_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "TOOLS", ("no-such-nvcc",))
    with pytest.raises(CommandError, match=r"needs no-such-nvcc: ./grade setup --nvcc"):
        command.lab("lab3", "solutions", None)


def test_a_solution_with_nvcc(
    real_nvcc: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", f"{Path(real_nvcc).parent}{os.pathsep}{os.environ['PATH']}")
    if not shutil.which("nvdisasm"):
        pytest.skip("needs nvdisasm")
    assert command.lab("lab3", "solutions", "A") == exit_codes.FULL_MARKS
    printed = capsys.readouterr().out
    assert "constant_kernel(" in printed and "polyphase_kernel" not in printed
    assert "global loads per warp" in printed and "FFMA is product and sum" in printed
    made = (paths.BUILD / "code" / "lab3.html").read_bytes()
    assert len(made) < 500_000 and b"http://" not in made and b"https://" not in made
