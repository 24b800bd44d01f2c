"""What an instruction of an sm_90 does, by its name."""

import re
from typing import NamedTuple

WORD = 4
_ACCESSES = {
    "LDG": ("global", "load"), "STG": ("global", "store"), "LDGSTS": ("global", "load"),
    "ATOMG": ("global", "atomic"), "ATOM": ("global", "atomic"), "RED": ("global", "atomic"),
    "LDS": ("shared", "load"), "STS": ("shared", "store"), "ATOMS": ("shared", "atomic"),
    "LDL": ("local", "load"), "STL": ("local", "store"), "LD": ("generic", "load"),
    "ST": ("generic", "store"), "TEX": ("texture", "load"), "TLD": ("texture", "load"),
    "SULD": ("texture", "load"), "SUST": ("texture", "store"),
}  # fmt: skip
_CONSTANT = ("LDC", "ULDC")
OPERAND = "constant operand"
_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
_KINDS = [  # the first that matches
    ("move", r"CS2R|S2U?R|R2UR|U?MOV|P2R|R2P|U?SEL|PRMT|NOP|\w+\.MOV|HFMA2.*-RZ, RZ, "),
    ("FMA", r"[FDH]FMA"),
    ("float", r"[FDH](ADD|MUL|MNMX|SETP|SET|CHK)|FSEL|MUFU|FSWZADD"),
    ("conversion", r"[IF]2[IF]|FRND"),
    ("barrier", r"BAR|MEMBAR|ERRBAR"),
    ("wait", r"LDGDEPBAR|DEPBAR"),
    ("branch", r"BRA|BRX|JMP|EXIT|RET|CALL|BSSY|BSYNC|BREAK|WARPSYNC|ENDCOLLECTIVE|YIELD|KILL"),
    ("exchange", r"SHFL|VOTE|REDUX|MATCH"),
    ("integer", r"U?(IMAD|IADD|LEA|SHF|LOP|ISETP|PLOP|VIMNMX|VIADD|IMNMX|IABS|POPC|FLO|BMSK|SGXT)"),
]
_PATTERNS = [(kind, re.compile(pattern)) for kind, pattern in _KINDS]
_BANK = re.compile(r"c\[0x3\]")  # __constant__ memory; bank 0 has the parameters


class Access(NamedTuple):
    """An access of memory. name: as a listing of a few words has it, such as LDG.128."""

    name: str
    space: str
    way: str
    bytes: int


def access(op: str, operands: str) -> Access | None:
    """The access that an instruction makes; None for one of parameters, and where it makes none."""
    base, *parts = op.split(".")
    width = next((_BYTES[part] for part in parts if part in _BYTES), WORD)
    name = base if width == WORD else f"{base}.{width * 8}"
    if base in _ACCESSES:
        return Access(name, *_ACCESSES[base], width)
    if not _BANK.search(operands):
        return None
    if base in _CONSTANT:
        return Access(name, "constant", "load", width)
    return Access(OPERAND, "constant", "load", WORD)


def kind(op: str, operands: str) -> str:
    """What else it does."""
    if op.split(".")[0] in _CONSTANT:
        return "parameter"
    text = f"{op} {operands}"
    return next((name for name, pattern in _PATTERNS if pattern.match(text)), "other")
