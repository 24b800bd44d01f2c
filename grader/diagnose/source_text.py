"""Mistakes that the text of the student's file shows, where an output alone does not."""

import re
from collections.abc import Iterator
from itertools import pairwise, takewhile

from grader.diagnose.mistake import Diagnosis
from grader.model.finding import Finding
from grader.source.code import Code, Statement, read

_SET = re.compile(r"(_mm(?:256)?)_set_(epi8|epi16|epi32)")
_NUMBER = re.compile(r"[(\s]*(?:\(\s*(?:char|short|int)\s*\)\s*)?(\d+|0[xX][0-9a-fA-F]+)[)\s]*")
_DIVIDES = {"for", "sections", "single", "task", "taskloop", "master", "masked", "loop"}
_ROLLED = (["(", "1", ")"], ["1"])  # behind `#pragma unroll`
_BARRIER = re.compile(r"__sync\w*|sync\w*")
NARROW = {
    "short": (16, True), "int16_t": (16, True), "uint16_t": (16, False),
    "char": (8, True), "int8_t": (8, True), "uint8_t": (8, False),
}  # fmt: skip
_NARROW = "|".join(NARROW)
FEW = 3  # indices; the order of fewer may be chance
MOST_INDEX = 127  # of a byte; a larger one stores 0


def reversed_indices(source: str) -> Diagnosis | None:
    """A list of byte indices that _mm_set_epi8() puts into the register from its end."""
    code = read(source)
    for call in code.calls(_SET):
        written = [_NUMBER.fullmatch(argument) for argument in call.arguments]
        indices = [n for m in written if m and (n := _number(m[1])) <= MOST_INDEX]
        if len(indices) >= FEW and all(a < b for a, b in pairwise(indices)):
            return Diagnosis(
                "set-not-setr",
                f"line {code.line(call.start)}: the first argument of {call.name}() is the highest "
                "element of the register, and yours begin with the lowest: use "
                f"{call.name.replace('_set_', '_setr_')}(), which takes the lowest first",
            )
    return None


def _number(text: str) -> int:
    return int(text, 16 if text[:2] in ("0x", "0X") else 10)


def short_bound(source: str) -> tuple[int, str] | None:
    """The line of a test that leaves out the last column or row, and the test."""
    code = read(source)
    found = code.sequences("<", "width|height", "-", "1")
    return next(((code.line(a), code.plain[a:b]) for a, b in found), None)


def has_groups_of_4(source: str) -> bool:
    """Is there a 4, or a type such as float4?"""
    return any(read(source).sequences(r"4|\w*[a-z]4"))


def has_break(source: str) -> bool:
    """Does a loop end early somewhere?"""
    return any(read(source).sequences("break"))


def narrow_sums(source: str) -> Iterator[tuple[int, str, int, bool]]:
    """Variables of at most 16 bits that get the value of an expression with a product: line, type,
    bits, and whether the type has a sign."""
    code = read(source)
    for start, end in code.sequences(_NARROW, r"[A-Za-z_]\w*", "="):
        type_ = code.plain[start:end].split()[0]
        statement = code.plain[end : code.plain.find(";", end)]
        if "*" in statement:
            bits, is_signed = NARROW[type_]
            yield code.line(start), type_, bits, is_signed


def divided_weight(source: str) -> int | None:
    """The line on which a weight is divided by 32768 before it is multiplied."""
    code = read(source)
    found = code.sequences(r"\w+", r"\.|->", "[rgb]", "/", "32768")
    return next((code.line(start) for start, _ in found), None)


def never_copied_to(source: str) -> Diagnosis | None:
    """A __constant__ array that a kernel may read and that no call writes."""
    code = read(source)
    calls = [*code.calls(r"cuda\w*Symbol\w*")]
    named = {re.sub(r"\W", "", argument) for call in calls for argument in call.arguments[:2]}
    for start, end in code.sequences("__constant__", r"\w+", r"\w+", r"\["):
        name = code.plain[start:end].split()[-1].rstrip("[")
        uses = len([*code.sequences(re.escape(name))])
        copies = [call for call in calls if "Memcpy" in call.name]
        if name not in named and uses > 1 and copies:
            to = ", ".join(f"line {code.line(c.start)} to {c.arguments[0]}" for c in copies)
            return Diagnosis(
                "constant-never-written",
                f"every pixel is 0, as {name} is: no call of cudaMemcpyToSymbol() writes it ({to})",
            )
    return None


def copied_the_wrong_way(source: str) -> str:
    """Of a host array that its function may write: that a copy takes it to the device, and none
    brings anything to it; "" where there is no such."""
    code = read(source)
    copies = [(c, c.arguments) for c in code.calls(r"cudaMemcpy(?:Async)?") if len(c.arguments) > 3]
    filled = {_name(arguments[0]) for _, arguments in copies}
    for call, arguments in copies:
        line, array = code.line(call.start), _name(arguments[1])
        if "HostToDevice" not in arguments[3] or array in filled or not array:
            continue
        function = code.function_at(line)
        given = code.parameters(function).split(",") if function else []
        if any("*" in p and "const" not in p and _name(p.split("*")[-1]) == array for p in given):
            return (
                f"line {line} copies {array} to the device, and nothing is copied to {array}: the "
                f"first argument of {call.name}() is the destination"
            )
    return ""


def _name(text: str) -> str:
    """The first name in it."""
    found = re.search(r"[A-Za-z_]\w*", text)
    return found[0] if found else ""


def exchanged_lines(source: str) -> Diagnosis | None:
    """The row of taps copied to the constant array of the column, or the column to the row's."""
    code = read(source)
    for call in code.calls(r"cudaMemcpyToSymbol\w*"):
        to, given = (*call.arguments, "", "")[:2]
        of = re.match(r"(?:h_)?(row|col(?:umn)?)\b", given)
        if to not in ("c_row", "c_column") or not of or (to == "c_row") == (of[1] == "row"):
            continue
        return Diagnosis(
            "lines-exchanged",
            f"line {code.line(call.start)}: {to} gets the coefficients of the other pass: copy "
            "h_row to c_row and h_column to c_column",
        )
    return None


def undivided_loop(source: str, line: int) -> Diagnosis | None:
    """A `#pragma omp parallel` without `for` above that line: every thread runs the whole loop."""
    code = read(source)
    for first, words, region in code.pragmas:
        directive = list(takewhile(lambda word: word != "(", words))
        divided = {"for", "sections", "loop"} & {*directive}
        if directive[:2] != ["omp", "parallel"] or divided or region is None:
            continue
        reached = first < line <= region.last or _calls(code, region, line)
        if reached and _repeats(code, first, region):
            return Diagnosis(
                "parallel-without-for",
                f"line {first}: after `#pragma omp parallel` every thread runs all iterations of "
                "the loop; write `#pragma omp parallel for`, which divides them among the threads",
            )
    return None


def _repeats(code: Code, line: int, region: Statement) -> bool:
    """Has the parallel region below that line a loop, and nothing that divides it among the
    threads?"""
    names = code.names(region.inside)
    inside = [words for at, words, _ in code.pragmas if line < at <= region.last]
    divided = any({*words[1:2]} & _DIVIDES or "capture" in words for words in inside)
    return "for" in names and "omp_get_thread_num" not in names and not divided


def rolled_loop(source: str, line: int) -> int | None:
    """The line of the innermost loop around that line above which stands no `#pragma unroll`."""
    rolled = [
        loop.first
        for loop in read(source).loops
        if loop.holds(line)
        and not any(words[:1] == ["unroll"] and words[1:] not in _ROLLED for words in loop.pragmas)
    ]
    return rolled[-1] if rolled else None


def _different_arrays(code: Code, first: int, last: int) -> str:
    """What two lines that use one element say where each names another array of shared memory."""
    words = [token.text for token in code.tokens]
    declared = (words[at : words.index(";", at)] for at, w in enumerate(words) if w == "__shared__")
    pairs = (pair for names in declared for pair in pairwise(names))
    shared = {name for name, sign in pairs if sign == "[" and name.isidentifier()}
    on = [{words[at] for at in code.between(line, line)} & shared for line in (first, last)]
    if first == last or not all(on) or on[0] & on[1]:
        return ""
    a, b = (sorted(names)[0] for names in on)
    return (
        f"line {first} uses `{a}` and line {last} `{b}`: an index of one of them is past the end "
        "of its array, and reaches the other"
    )


def missing_barrier(source: str, race: Finding) -> str:
    """What to add where two threads of a block use the same shared memory, as the file shows it;
    "" for any other finding."""
    if race.kind != "shared-race" or not race.other_thread or not race.line:
        return ""
    lines = {race.line, race.other_line or race.line}
    first, last = min(lines), max(lines)
    if apart := _different_arrays(read(source), first, last):
        return apart
    if race.verb == race.other_verb:
        where = f"at line {first}" if first == last else f"at lines {first} and {last}"
        apart = " or whether __syncthreads() is between the two" if first != last else ""
        return (
            f"two threads write one element {where}: look at the index that each writes to{apart}"
        )
    if first == last:
        return (
            f"line {first} reads what another thread writes there: read into a variable, wait with "
            "__syncthreads(), then write, and wait again"
        )
    code = read(source)
    above, below = (code.function_at(line) for line in (first, last))
    if above and below and above != below:
        calls = code.calls(re.escape(above.name), below.body)
        places = [code.line(call.start) for call in calls]
        if not places:
            return f"add __syncthreads() between what lines {first} and {last} do"
        first, last = sorted((last, min((n for n in places if n > last), default=places[-1])))
    if code.calls(_BARRIER, code.between(first + 1, last)):
        return (
            f"a barrier stands between lines {first} and {last}, but in a loop the next round "
            f"begins while other threads are still at line {last}: add __syncthreads() after it, "
            "at the end of the loop"
        )
    return f"add __syncthreads() between lines {first} and {last}, where all threads come by"


def _calls(code: Code, region: Statement, line: int) -> bool:
    """May the region call the function that holds that line? It does if it names the function, or
    calls through a pointer, whose name is no function of this file."""
    holder = code.function_at(line)
    names = {call.name for call in code.calls(inside=region.inside)}
    defined = {function.name for function in code.functions}
    return holder is not None and (holder.name in names or not names <= defined)
