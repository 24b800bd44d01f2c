"""A file in C or CUDA, as its tokens and its brackets are read (grader/source)."""

from collections.abc import Iterator
from itertools import pairwise

from grader.source import lexer
from grader.source.code import Code
from grader.source.constants import constants


def seeds() -> Iterator[bytes]:
    yield b'int f(int a) { for (;;) g(a, "//", (1, 2)); /* b */ return R"x(\n)x"[0]; } // \\\n c'
    yield b"#if 0\nint f(\n#else\n#pragma omp parallel\n{ if (a) b; else do c; while (d); }\n#endif"
    yield b'extern "C" { int f(a) int a; { k<3><<<b, c>>>(x[1][y]); } }\nenum { A = 1, B };'
    yield b"__shared__ float s[2];\n#define M(x) f(x, \\\n  y)\nconst int N = 3, wi\\\nde = 4;"
    yield b"if (a) { ) ] } } else { #define\n#endif\n<% %:define A\n??/\n"
    yield b"({" * 2000 + b"})" * 2000


def check(data: bytes) -> None:
    text = data.decode(errors="replace")
    code, lines = Code(text), text.count("\n") + 1
    tokens = list(lexer.tokens(text))
    for token in tokens:
        written = text[token.start : token.end]
        assert written[:1].strip() and (token.kind != "word" or written[-1:] == token.text[-1:])
    assert all(one.end <= other.start for one, other in pairwise(tokens))
    assert len(code.plain) == len(text) and code.plain.count("\n") == lines - 1
    count = len(code.tokens)
    assert all(opening < closing < count for opening, closing in code.closing.items())
    assert all(at <= code.end(at) <= count for at in range(count))
    for function in code.functions:
        first, last = code.lines_of(function)
        begin, end = code.body(function)
        assert 1 <= first <= last <= lines and begin <= end and code.function_at(first)
    for call in code.calls():
        assert call.start < call.end and all("\n" not in each for each in call.arguments)
    for line, _, governed in code.pragmas:
        assert 1 <= line <= lines and (governed is None or line <= governed.first <= governed.last)
    assert all(loop.inside for loop in code.loops)
    assert all(text[c.start : c.end].strip() for c in constants(code))
    assert all(array.places for array in code.indexed(range(count)))
