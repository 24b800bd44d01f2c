"""Functions, calls, loops, pragmas and conditions of odd files."""

import time

import pytest

from grader.source.code import Code
from grader.source.constants import constants

# What defines which functions, and the lines of each.
FUNCTIONS = {
    "int f(void) { return 1; }": ["f 1-1"],
    "static inline\nfloat *f(int a)\n{\n}": ["f 1-4"],
    "int f(a, b)\n  int a;\n  float b;\n{\n}": ["f 1-5"],
    'extern "C" {\nvoid f(void) {\n}\n}\nvoid g() {}': ["f 2-3", "g 5-5"],
    "namespace n { template <int R> void f(T<R> x) { } }": ["f 1-1"],
    "struct s { int f(int x) const { return x; } int y; };": ["f 1-1"],
    "__attribute__((noinline)) int f(int x) __attribute__((pure)) { }": ["f 1-1"],
    "__global__ void __launch_bounds__(256, 2) k(float *p) { }": ["k 1-1"],
    "auto f(int x) -> decltype(x) { auto l = [&](int i) { return i; }; }": ["f 1-1"],
    "s::s(int x) : y(x) { }": ["s 1-1"],
    "KERNEL(f) {\n}": ["KERNEL 1-2"],
    "static TARGET void f(int x) {\n  if (x) {\n  } else if (y) {\n  }\n}": ["f 1-5"],
    "else if (x) {\n}": [],
    "int a[] = {1, f(2)}, b = {3};\nenum { A = 1, B };": [],
    "int f(int); int (*p)(int) = f;": [],
    '// int f(void) {\n/* int g(void) { */ const char *s = "int h() {";': [],
    "#if 0\nint f(void) { }\n#else\nint g(void) { }\n#endif": ["g 4-4"],
    "#if 1\nint f(void) { }\n#elif A\nint g(void) { }\n#endif": ["f 2-2"],
    "#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\n  { ( }\n}\nint g() {}": [
        *("f 4-7", "g 8-8"),
    ],
    "void f() {\n  if (x) {\nvoid g() {\n}": ["g 3-4"],
    "#define F(x) int x(void) { }\nint g() {}": ["g 2-2"],
    "int f() {\r\n}\r\nint g() {\r\n}": ["f 1-2", "g 3-4"],
    ") ] } int f() { ( ] }": ["f 1-1"],
}


@pytest.mark.parametrize("source", FUNCTIONS)
def test_functions_are_parsed(source: str) -> None:
    code = Code(source)
    found = ["{} {}-{}".format(f.name, *code.lines_of(f)) for f in code.functions]
    assert found == FUNCTIONS[source]


def test_declarations_are_not_definitions() -> None:
    code = Code("int f(int a);\nstruct p *g(void) { }\nint x = f(2);\nvoid h(void)")
    assert [f.name for f in code.declared] == ["f", "g"]


CALLS = """f(1, (2, 3), g<a>(x), "a, b)", 'c', /* d, */ {4, 5});
p->m(); k<3><<<grid, b(1)>>>(x,\\
  y);
if (f < 2 && g > (3)) sizeof(x); // f(9)
#define M(a) f(a, 1)
#if 0
f(8);
#endif
f(
"""


def test_calls_and_their_arguments() -> None:
    code = Code(CALLS)
    found = {(c.name, code.line(c.start)): c.arguments for c in code.calls()}
    assert found == {
        ("f", 1): ["1", "(2, 3)", "g<a>(x)", '"a, b)"', "'c'", "{4, 5}"],
        ("g", 1): ["x"],
        ("m", 2): [],
        ("k", 2): ["x", "y"],
        ("b", 2): ["1"],
        ("M", 5): ["a"],
        ("f", 5): ["a", "1"],
    }
    assert [code.line(c.start) for c in code.calls("f")] == [1, 5]


@pytest.mark.parametrize(
    ("statement", "last"),
    [
        ("x = f(\n);", 2),
        ("{\n{\n}\n}\n;", 4),
        ("for (int i = 0; i < n; i++)\nif (a)\nb;\nelse\nc;\nd;", 5),
        ("if (a)\nif (b)\nc;\nelse\nd;\nelse {\n}\nelse e;", 7),
        ("do\nx;\nwhile (\ny);\nz;", 4),
        ("FOR_EACH(i, n) {\n}\nx;", 2),
        ("while (x)\n  ;\n;", 2),
        ("switch (x) {\ncase 1: y;\n}", 3),
        ("x = [&](int i) {\nreturn i; };\ny;", 2),
        ("for (;;) {\n  x;", 3),  # the function's brace ends it
        ('const char *s = "}" "\\";";\nx;', 1),
    ],
)
def test_a_pragma_governs_the_statement_below(statement: str, last: int) -> None:
    code = Code(f"void f() {{\n#pragma omp \\\n parallel // for\n\n{statement}\n}}")
    ((line, words, governed),) = code.pragmas
    assert (line, words) == (2, ["omp", "parallel"])
    assert governed is not None and (governed.first, governed.last) == (5, 4 + last)
    assert governed.pragmas == [["omp", "parallel"]]


def test_loops_and_their_pragmas_are_parsed() -> None:
    code = Code(
        "#pragma unroll\nfor (;;) // for (;;)\n  for (;;) { x; }\n"
        "#define LOOP for (;;)\n#if 0\nfor (;;);\n#endif\nwhile (1) {\n#pragma omp for"
        "\nfor (;;);\n}"
    )
    assert [(loop.first, loop.last, loop.pragmas) for loop in code.loops] == [
        (2, 3, [["unroll"]]),
        (3, 3, []),
        (10, 10, [["omp", "for"]]),
    ]


def test_a_sequence_is_found_in_code_alone() -> None:
    code = Code(
        '// x < width - 1\n"x < width - 1"; R"(x < width - 1)";\n#if 0\nx < width - 1\n#endif\n'
        "x <\n width /* */ - 1; width - 10; #define IN(x) ((x) < width - 1)\n"
        "#define OUT(x) ((x) < width - 1)"
    )
    found = [code.line(start) for start, _ in code.sequences("<", "width", "-", "1")]
    assert found == [6, 7, 8]


def test_constants_are_found() -> None:
    code = Code(
        "enum e { A = 1, B, C = A + 2 };\n#define D (1 << 2) // 3\n#define F(x) 5\n#define G\n"
        "static const int H = 6; const int *p = &x; int I = 7; /* #define J 8 */\n"
        "constexpr unsigned K = f(9, 10), L = 11;"
    )
    found = {c.name: c.value for c in constants(code)}
    assert found == {"A": "1", "C": "A + 2", "D": "(1 << 2)", "H": "6", "K": "f(9, 10)"}
    assert all(code.text[c.start : c.end] == c.value for c in constants(code))


HOSTILE = [
    *("(", "{", "if(x", "for(;;)", "for(;;)if(a)", "f(", "a<", "a>(", ";{};", "x{}", "f(){", "do "),
    *("#if A\n{", "#if\n#else\n}", "#if 0\n", "f(a) int a;", "if(a) b; else ", "namespace a{"),
    *(
        "int x=",
        "#define A f(\n",
        "[](){",
        "a[",
        "#pragma omp parallel\nif(a)\n",
        "enum{",
        "\0",
        "é",
    ),
    *("const int a=", "__shared__ "),
]


def seconds_for(word: str, times: int) -> float:
    start = time.process_time()
    half = times // 2
    for text in (word * times, "(" * times + word * half, word * half + "})" * half):
        code = Code(text)
        whole = range(len(code.tokens))
        list(code.indexed(whole)), list(code.sequences("<", "width")), list(constants(code))
        assert code.calls() is not None and code.loops is not None and code.declared is not None
        assert all(1 <= line <= text.count("\n") + 1 for line, _, _ in code.pragmas)
    return time.process_time() - start


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_files_are_parsed_in_less_than_square_time(word: str) -> None:
    short, long = seconds_for(word, 1_250), seconds_for(word, 10_000)
    assert long < 45 * max(short, 0.02)  # 8 times the text; the square would be 64 times
