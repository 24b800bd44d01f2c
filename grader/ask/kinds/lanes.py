"""Which byte does a shift of a vector leave in a lane?"""

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.source import evaluated

REBUILDS = True
LANE = 16  # bytes: no shift of bytes crosses its border
WIDTHS = {"ssse3": ("128", 16), "avx2": ("256", 32)}  # by what the part needs: bits, bytes
CALL = "_mm{}_(?:alignr_epi8|b?srli_si{})"
SHARE = """
__attribute__((target("{cpu}"))) void {name}(const uint8_t *rgb, int width, int height,
                                             struct weights w, uint8_t *grey) {{
    uint8_t number[64];
    for (int i = 0; i < 64; i++) number[i] = (uint8_t)i;
    const __m{bits}i low = _mm{m}_loadu_si{bits}((const void *)number);
    const __m{bits}i high = _mm{m}_loadu_si{bits}((const void *)(number + {size}));
    _mm{m}_storeu_si{bits}((void *)grey, {call});
    (void)rgb, (void)width, (void)height, (void)w, (void)high;
}}
"""


def ask(program: AskedPart, draw: Random) -> Draft:
    part = program.lab.part_of(program.base)
    if not program.in_c or part.cpu not in WIDTHS:
        raise CannotTell("no vectors")
    bits, size = WIDTHS[part.cpu]
    m = "" if size == LANE else bits
    calls = program.text.code.calls(CALL.format(m, bits))
    if not calls:
        raise CannotTell("no shift of bytes")
    call = draw.choice(calls)
    function = call.name
    *operands, last = call.arguments or [""]
    by = evaluated(last, program.text.constants)
    if by is None or not 0 < by < LANE or len({*operands}) != 1 + ("alignr" in function):
        raise CannotTell("what it shifts, and by how many bytes")
    at = draw.randrange(size)
    lane, byte = at // LANE * LANE, at % LANE + by
    two = len(operands) == 2
    above = size if two else None  # where the bytes come from that move in
    answer = lane + byte if byte < LANE else 0 if above is None else above + lane + byte - LANE

    def second() -> int:
        name, shifted = part.calls[-1], f"{function}({'high, ' if two else ''}low, {last})"
        added = SHARE.format(cpu=part.cpu, name=name, bits=bits, m=m, size=size, call=shifted)
        edited = f"#define {name} {name}_before\n{program.text.text}\n#undef {name}\n{added}"
        return int(program.output(program.case(), program.changed(edited.encode())).flat[at])

    held = f"byte i of {operands[-1]} holds the number i"
    if two:
        held += f", and byte i of {operands[0]} holds {size} + i"
    return Draft(
        line=program.text.code.line(call.start),
        text=f"Suppose {held}. Which number is in byte {at} of what {function}() returns at this "
        f"line? (Bytes are counted from 0, the lowest address.)",
        answer=answer,
        second=second,
        why=f"In each lane of {LANE} bytes, byte k of the result is byte k + {by} of "
        + (f"{operands[-1]} with {operands[0]} behind it" if two else operands[0])
        + f". Here that is byte {at % LANE} + {by} = {byte} of the lane, which "
        + ("is past the end: 0." if byte >= LANE and above is None else f"holds {answer}."),
        counts="find its lane, then the byte of that lane that lies so many bytes higher",
        mistakes=[
            (at + by if size > LANE else -1, "as if the two lanes of 16 bytes moved together"),
            (at - by, "they move down, to lower numbers"),
            (size + at + by if above else -1, "exchanged: the second operand gives the low bytes"),
            (lane + byte, "as if the bytes continued after the end of the lane"),
            (at, "as if nothing moved"),
            (at + 4 * by, f"{by} counts bytes, not integers of 32 bits"),
            (at + by // 8, f"{by} counts bytes, not bits"),
            (at % LANE + by, "that is the byte of the first lane"),
            (byte % LANE + lane, "as if the bytes came around in the lane"),
            (at % LANE, "that is its place in the lane, before the shift"),
            (size - 1 - at, "bytes are counted from the lowest address"),
            (by, "that is by how many bytes they move"),
            (0, "zeros move in only at the end of a lane, where nothing is behind it"),
            (lane + byte - 1, "bytes are counted from 0"),
            (lane + byte + 1, "bytes are counted from 0"),
        ],
    )  # fmt: skip
