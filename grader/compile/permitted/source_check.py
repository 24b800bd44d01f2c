"""Refuses in a submission's source what its object file cannot show: assembly, attributes and
pragmas that change how code is built or checked, and the names of the checks' own functions.

Judged is what the preprocessor leaves of the student's own files, so that no macro hides a word.
Only a #line could pass own text off as a header's: it is refused in the source itself.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from grader.compile.permitted.own_text import own_text
from grader.source import lexer

ASSEMBLY = frozenset({"asm", "__asm__", "__asm"})
# Attributes that change neither what is linked nor what is checked, and, from cluster_dims on,
# nvcc's.
ATTRIBUTES = re.compile(
    r"access|aligned|alloc_align|alloc_size|always_inline|artificial|assume|assume_aligned"
    r"|carries_dependency|cleanup|cold|const|counted_by|deprecated|designated_init|error"
    r"|fallthrough|fd_arg|flag_enum|flatten|format|format_arg|hot|leaf|likely|malloc"
    r"|may_alias|maybe_unused|mode|no_unique_address|nocf_check|noclone|nodiscard|noinline"
    r"|noipa|nonnull|nonstring|noreturn|nothrow|null_terminated_string_arg|packed|pure"
    r"|reproducible|returns_nonnull|scalar_storage_order|sentinel|simd|strict_flex_array|target"
    r"|tls_model|transparent_union|unavailable|unlikely|unsequenced|unused|vector_size"
    r"|warn_if_not_aligned|warn_unused_result|warning|cluster_dims|constant|cudart_builtin"
    r"|device|device_builtin|device_builtin_surface_type|device_builtin_texture_type|global"
    r"|grid_constant|host|launch_bounds|managed|maxnreg|nv_pure|shared"
)
WHY_ATTRIBUTE = (
    (r"no_sanitize\w*|no_instrument\w*|no_stack\w*|no_profile\w*|patchable\w*|disable_\w+|no_address\w*",
     "it would hide code from the checks of your program"),
    (r"optimize|target_clones|optnone", "it changes how your program is compiled"),
    (r"constructor|destructor|init_priority", "nothing may run before main() or after it"),
    (r"section|used|retain|common|nocommon|noinit|persistent|symver|visibility|externally_visible",
     "it changes where your program is in memory or what others see of it"),
    (r"alias|ifunc|weak|weakref|copy|gnu_inline",
     "a function must be defined once, under one name"),
    (r"naked|interrupt|ms_abi|sysv_abi|regparm|stdcall|cdecl|fastcall|thiscall|ms_hook_prologue"
     r"|returns_twice|signal|force_align_arg_pointer|no_caller_saved_registers|indirect_\w+",
     "it changes how functions are called"),
)  # fmt: skip
PRAGMAS = re.compile(r"(?:unroll|ivdep|novector|diagnostic|target|(?:push|pop|reset)_options)\b")
REFUSED_PRAGMA = re.compile(r"(?:weak|redefine_extname|extern_prefix|init|fini|sim_\w+|ident)\b")
NAMESPACES = ("::", "gnu", "__gnu__", "using", ":")  # in front of [[gnu::noinline]]
# Functions of gcc that reach the stack, the registers or the code of others.
BUILTIN = re.compile(
    r"__builtin_(?:return_address|extract_return_addr|frob_return_addr|frame_address|apply\w*|return"
    r"|longjmp|setjmp|eh_\w+|dwarf_\w+|unwind_init|init_dwarf\w*|stack_(?:save|restore|address)"
    r"|update_setjmp_buf|nonlocal_goto\w*|call_with_static_chain|thread_pointer|set_thread_pointer"
    r"|trampoline\w*|init_trampoline|adjust_trampoline|profile_func\w+|alloca_with_align_and_max"
    r"|ia32_(?:rd|wr)(?:fs|gs)base\w*|ia32_(?:wr|rd)pk\w*|ia32_(?:xsave|xrstor|fxsave|fxrstor)\w*"
    r"|ia32_(?:read|write)eflags\w*|ia32_(?:inc|rd|wr|save|rstor|set|clr)ss\w*|ia32_sys\w*)"
)
# What has another value in builds that optimize less, and so tells a program in which it is.
TELLS_BUILD = re.compile(r"__builtin_(?:constant_p|is_constant_evaluated|(?:dynamic_)?object_size)")
# Names that only the compiler, the libraries and the course write. What a program may call has
# another name; macros of the system's headers use none of these. `__real__ z` is C's.
RESERVED = re.compile(
    r"(?!__real__)__(?:tsan|asan|ubsan|hwasan|lsan|msan|sanitizer|interceptor|gcov|cyg_profile|mcount|cxa|gxx|gcc"
    r"|libc|wrap|real|dso|ehdr|rtld|gmon|emutls|gthrw?|cuda(?:Register|Unregister|Push|Pop|Init)\w*)_\w+"
    r"|__dso_handle|_GLOBAL_\w+|_DYNAMIC|_Unwind_\w+|GOMP_\w+|GOACC_\w+|_dl_\w+|_rtld_\w+|__mcount"
    r"|__sanitizer\w*|sim_c_\w+"
)
# Nobody writes a comment between the words of such a line: it is refused there, whatever follows.
NAMES_LINE = re.compile(
    rb"(?:^|\*/)[ \t\v\f\r]*(?P<sign>\#|%:)[ \t\v\f\r]*"
    rb"(?:line\b|/\*|\d[\d']*(?:\"|[ \t\v\f\r]*/\*|[ \t\v\f\r]+[\"A-Za-z_$\\\x80-\xff]))",
    re.MULTILINE,
)
WHY_LINE = "#line: messages would name the wrong file or line; remove it, or what looks like it"
SPLICE = re.compile(lexer.SPLICE.encode())
# What hides a line from the preprocessor: comments and texts.
HIDING = re.compile(
    rb"""(?P<comment>%b)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|["'][^\n]*"""
    % lexer.COMMENT.encode(),
    re.DOTALL,
)
# Where one cannot tell without gcc what is a comment or a text: raw strings, what an #include reads
# in another way than other lines, such as <a/*b> or "a\", and a mark right behind a number.
UNCLEAR = re.compile(
    rb"""R"[^()\\\s]{0,16}\(
    |(?:[\#:][ \t\v\f\r]*(?:include|import|embed)|\b__has_(?:include|embed))\w*+
    (?![ \t]*\(?[ \t]*(?:<(?:[\w.+-]|/(?!/))*+>|"[\w./+-]*+"))""",
    re.VERBOSE,
)
NUMBER = re.compile(rb"(?<![\w$\x80-\xff])\.?\d(?:[eEpP][+-]|[\w.$\\\x80-\xff])*+")
DEPTH = {"(": 1, "[": 1, "<:": 1, "{": 1, ")": -1, "]": -1, ":>": -1, "}": -1}
MOST_TOKENS = 200  # of one list of attributes
LONG = f"a list of attributes with more than {MOST_TOKENS} words; remove it, or close its brackets"


@dataclass(frozen=True)
class Refusal:
    """line: of the student's file `file`, a name without folders."""

    file: str
    line: int
    text: str


def check_source(name: str, source: bytes) -> list[Refusal]:
    """What is refused of a submitted file as it is: a line that gives text another file's name. A
    comment may have one where it is certain that it is a comment."""
    source = as_read(source)
    joined = SPLICE.sub(b"", source)
    match = NAMES_LINE.search(joined)
    if match and not _is_unclear(joined):
        match = NAMES_LINE.search(HIDING.sub(_blanked, joined))
    if not match:
        return []
    return [Refusal(name, _line(source, match.start("sign")), WHY_LINE)]


def as_read(source: bytes) -> bytes:
    """A source as gcc reads it: a line also ends at a carriage return alone, and a mark of UTF-8
    may be the first thing in a file."""
    lines = source.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return lines.replace(b"\0", b" ")


def _line(source: bytes, at: int) -> int:
    """The line of byte `at` of a source whose spliced lines were joined."""
    removed = 0
    for splice in SPLICE.finditer(source):
        if splice.start() - removed > at:
            break
        removed += len(splice[0])
    return source.count(b"\n", 0, at + removed) + 1


def _is_unclear(source: bytes) -> bool:
    marks = (source[number.end() : number.end() + 1] for number in NUMBER.finditer(source))
    return b"'" in marks or UNCLEAR.search(source) is not None


def _blanked(match: re.Match[bytes]) -> bytes:
    """A comment is a space for the preprocessor. A text is something else."""
    keep = b" " if match["comment"] else match[0][:1]
    return keep + re.sub(rb"[^\n]", b" ", match[0][1:])


def check_text(
    preprocessed: bytes,
    owner: Callable[[str], str | None],
    is_gpu: bool = False,
    reserved: frozenset[str] = frozenset(),
) -> list[Refusal]:
    """What is refused of a preprocessed file, the first of each kind. owner: as for own_text.
    is_gpu: nvcc compiles it, which has inline PTX in functions of the device. reserved: names that
    are the simulator's."""
    text = own_text(preprocessed, owner)
    refusals: dict[str, Refusal] = {}
    for at, message in found(text.tokens, is_gpu, reserved):
        refusals.setdefault(message, Refusal(text.name, text.tokens[at][2], message))
        if message == LONG:  # one inside another would take the square of the file's length
            break
    return list(refusals.values())


def found(
    tokens: list[tuple[str, str, int]],
    is_gpu: bool = False,
    reserved: frozenset[str] = frozenset(),
) -> Iterator[tuple[int, str]]:
    for i, (kind, word, _) in enumerate(tokens):
        if kind == "pragma":
            yield from refused_pragma(i, word)
        elif kind == "glued":
            yield i, "a raw string directly after another string: put a space between them"
        elif kind == "quoted":
            yield i, "a character literal directly after a number: put a space between them"
        elif kind == "sign":
            following = [t for _, t, _ in tokens[i : i + 2]]
            if len(following) == 2 and all(sign in ("[", "<:") for sign in following):
                yield from _standard_attributes(tokens, i)
        elif kind == "word":
            if word in ASSEMBLY and not (is_gpu and _in_device_code(tokens, i)):
                yield i, f"{word}: a lab's code may not contain assembly; write it in C"
            elif word in ("__attribute__", "__attribute"):
                yield from _attributes(tokens, i)
            elif BUILTIN.fullmatch(word):
                yield i, f"{word}() reaches the stack of the functions that called yours; remove it"
            elif TELLS_BUILD.fullmatch(word):
                yield i, f"{word}() differs where your program is checked; remove it"
            elif RESERVED.fullmatch(word):
                yield i, f"{word} belongs to the compiler and the checks; remove it"
            elif word in reserved:
                yield i, f"{word} is the simulator's own; use the functions of CUDA"
            elif word == "goto" and i + 1 < len(tokens) and tokens[i + 1][1] == "*":
                yield i, "a computed goto is not allowed; use a switch"


def refused_pragma(at: int, line: str) -> Iterator[tuple[int, str]]:
    words = line.strip().lstrip("#").split(None, 2)
    if words[:1] == ["ident"] or words[:1] == ["sccs"]:
        yield at, f"#{words[0]} is not allowed in a lab's code"
    if words[:1] != ["pragma"] or len(words) < 2:
        return
    rest = " ".join(words[1:])
    if words[1] == "GCC":
        if not PRAGMAS.match(words[2] if len(words) > 2 else ""):
            yield at, f"#pragma {rest[:60]}: it changes how your program is compiled; remove it"
    elif REFUSED_PRAGMA.match(rest):
        yield at, f"#pragma {rest[:60]}: it changes the names of functions; remove it"


def _attributes(tokens: list[tuple[str, str, int]], at: int) -> Iterator[tuple[int, str]]:
    """Judges each attribute of __attribute__((a, b(...)))."""
    depth, i, begin = 0, at + 1, -1
    while i < len(tokens):
        if i - at > MOST_TOKENS:
            yield at, LONG
            return
        sign = tokens[i][1]
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth <= 0:
            break
        if depth == 2 and sign == "(" and begin < 0:
            begin = i + 1
        if begin >= 0 and ((depth == 2 and sign == ",") or (depth == 1 and sign == ")")):
            if refused := _judged(tokens[begin:i]):
                yield begin, refused
            begin = i + 1
        i += 1


def _standard_attributes(tokens: list[tuple[str, str, int]], at: int) -> Iterator[tuple[int, str]]:
    """Judges each attribute of [[a, gnu::b(...)]]."""
    i = begin = at + 2
    depth = 0
    while i < len(tokens):
        if i - at > MOST_TOKENS:
            yield at, LONG
            return
        sign = tokens[i][1]
        depth += DEPTH.get(sign, 0)
        if (sign in (",", ";") and depth == 0) or depth < 0:
            part = [t for t in tokens[begin:i] if t[1] not in NAMESPACES]
            if refused := _judged(part):
                yield begin, refused
            begin = i + 1
            if sign != ",":
                return
        i += 1


def _judged(attribute: list[tuple[str, str, int]]) -> str | None:
    """Why an attribute, its tokens, is refused; None if it is not."""
    if not attribute:
        return None
    written = "".join(text for _, text, _ in attribute)
    name = attribute[0][1]
    name = name[2:-2] if name.startswith("__") and name.endswith("__") else name
    if ATTRIBUTES.fullmatch(name):
        return None
    why = next((why for names, why in WHY_ATTRIBUTE if re.fullmatch(names, name)), None)
    why = why or "it is not among the attributes that a lab's code may have"
    return f"attribute {written[:60]}: {why}; remove it"


def _in_device_code(tokens: list[tuple[str, str, int]], at: int) -> bool:
    """Is a token in the body of a function for the device alone?"""
    depth = 0
    for i in range(at - 1, -1, -1):
        sign = tokens[i][1]
        depth += {"}": 1, "{": -1}.get(sign, 0)
        if depth < 0:
            depth = 0
            head = i - 1
            while head >= 0 and tokens[head][1] not in (";", "{", "}"):
                head -= 1
            marks = {t.strip("_") for _, t, _ in tokens[head + 1 : i]}
            if marks & {"device", "global"}:
                return "host" not in marks
    return False
