"""The table of x86-64's instructions against all that objdump knows."""

import re
from pathlib import Path

import pytest

from labs.sim import x86
from labs.tests.sim.translate import opcodes

# What x86.toml says that it leaves out; an operating system's, and flags, segments and ports.
LEFT_OUT = re.compile(
    r"a(add|and|or|xor)|aes(dec|enc)(wide)?(128|256)kl|encodekey\d+|loadiwkey|bnd\w+"  # no CPU yet
    r"|cmp\w{1,3}xadd|enqcmds?|movdir64b|(clr|set)ssbsy|saveprevssp|rstorssp"
    r"|incssp[dq]|rdssp[dq]|wru?ss[dq]|ptwrite[lq]?|rdpkru|wrpkru|u(monitor|mwait|iret)|tpause"
    r"|xbegin|xbeginw|xend|xabort|xtest|x(res|sus)ldtrk|(ld|st)tilecfg|tile\w+|tdp\w+"
    r"|xcrypt|xsha\d+|xstore|montmul|femms|pfcmpge|clzero|rdpru|rdpmc"
    r"|xsave\w*|xrstor\w*|fx(save|rstor)(64)?|fn?saves?|frstors?|frstpm|fldenvs|fnstenvs|xsetbv"
    r"|v4fn?madd[ps]s|vp4dpwssds?|vexp2p[sd]|vr(cp|sqrt)28[ps][sd]|v(gather|scatter)pf[01][dq]p[sd]"
    r"|vpermil2p[sd]|vpdpb(ss|su|uu)ds?|(rd|wr)[fg]sbase|(rd|wr)msr\w*|wrmsrns|swapgs|arpl"
    r"|vm(m?call|clear|func|gexit|launch|load|ptr(ld|st)|read|resume|run|save|write|xoff|xon)|ver[rw]|inv(d|ept|lpg\w*|pcid|vpid)|w?b?no?invd|wbinvd|l?iretq?w?"
    r"|[ls](gdt|idt|ldt|msw|tr)|str|lar|lsl|l[fgs]s|lss|in(s[blw])?|out(s[blw])?|l(call|jmp)w?"
    r"|lret[qw]?|iret[qw]?|enterw?|(push|pop)fw?|cl(ac|gi|i|ts|ui)|st(ac|gi|i|ui)|testui|senduipi"
    r"|encl[suv]|getsec|hlt|hreset|int1?|rsm|skinit|mcommit|m(onitor|wait)x?|pconfig|psmash"
    r"|eret[su]|lkgs|pbndkb|u(rd|wr)msr|repn?z|tcmm\w+|vpdpw(su|us|uu)ds?|vsha512\w+|vsm[34]\w+"
    r"|pvalidate|rmp\w+|sea\w+|sys\w+|tdcall|tlbsync|ud[01]|xlat|f(n?disi|neni|nsetpm)|stac|clac"
)

PRODUCTS = """
imul imull mulx div idivq fmul fmuls fmulp fimull fdivrp fyl2x mulps vmulsd vdivpd dpps vdppd
pmuludq vpmulld pmulhrsw pmaddwd vpmaddubsw vpmadd52luq vfmadd231ps vfnmsub132sd vfmaddsub213pd
vfcmulcph vdpbf16ps vpdpwssd vpclmulqdq pclmullqlqdq gf2p8mulb vpgatherdd vgatherdps
"""
OTHERS = """
add lea shl fadd fscale vscalefps pshufb vpermi2b psadbw mpsadbw vpmultishiftqb gf2p8affineqb
aesenc sqrtps rcpps phaddw psignw pext paddd movaps vpscatterdd crc32 vpmovdb fsqrt
"""


@pytest.mark.slow("objdump reads 300,000 instructions")
def test_knows_each_instruction_that_is_not_left_out_on_purpose(tmp_path: Path) -> None:
    names = opcodes.names(opcodes.disassembled(tmp_path).values())
    assert len(names) > 1500
    unknown = {name for name in names if not x86.find(name)}
    assert sorted(name for name in unknown if not LEFT_OUT.fullmatch(name)) == []
    assert sorted(name for name in x86.rows() if LEFT_OUT.fullmatch(name)) == []


@pytest.mark.parametrize("name", PRODUCTS.split())
def test_multiplications_are_recognized(name: str) -> None:
    assert x86.find(name) and x86.multiplies(name)


@pytest.mark.parametrize("name", OTHERS.split())
def test_other_instructions_are_not_multiplications(name: str) -> None:
    assert x86.find(name) and not x86.multiplies(name)


def test_instructions_newer_than_ssse3_are_recognized() -> None:
    newer = "pmulld vpaddd blendvps popcnt crc32 vzeroupper kmovw andn movntdqa pinsrb pclmullqlqdq"
    older = (
        "pshufb paddd pmaddwd tzcnt movntdq lddqu cvtsi2sdl maskmovdqu palignr pinsrw rdtsc fmul"
    )
    assert [name for name in newer.split() if not x86.is_newer(name)] == []
    assert [name for name in older.split() if x86.is_newer(name)] == []
