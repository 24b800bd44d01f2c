"""Small kernels with divergent control flow, each in two or three spellings that count the same.

Each entry of SPELLINGS is a list of programs of simt.py. A spelling that the model does not know
(goto, recursion in a template, a lambda, a loop that is unrolled) is CUDA, and counts like the
first of its list.
"""

from labs.tests.sim.profile.simt import Functions, Statement


def step(k: int) -> Statement:
    """A load that depends on the ones before."""
    return ("set", "s", ("op", "+", "s", ("load", f"s * 3 + {k}")))


def is_high(k: int, limit: int = 500000) -> tuple[object, ...]:
    return ("op", ">", ("load", f"s * 5 + {k}"), str(limit))


END: Statement = ("return", "s")
LOAD = "s += a[(s * 3 + {}) % 4096u];"
HIGH = "a[(s * 5 + {}) % 4096u] > 500000"


def text(body: str) -> str:
    """CUDA with @7 for step(7) and ?7 for is_high(7)."""
    out, at = [], 0
    while at < len(body):
        mark = body[at]
        if mark in "@?" and body[at + 1].isdigit():
            digits = ""
            at += 1
            while at < len(body) and body[at].isdigit():
                digits += body[at]
                at += 1
            out.append((LOAD if mark == "@" else HIGH).format(digits))
        else:
            out.append(mark)
            at += 1
    return "".join(out)


FUNCTIONS: Functions = {
    # a branch with loads, no loop
    "pick": (["x"], [
        ("let", "s", "x"),
        ("if", "s % 3 == 1", [step(1), ("return", ("op", "^", "s", ("load", "s + 2")))]),
        step(3), END]),
    # returns from inside its loop
    "search": (["x"], [
        ("let", "s", "x"),
        ("for", "k", "0", "k < 7", 1, [step(4), ("if", "s % 5 == 2", [END])]),
        step(5), END]),
    # as long as x says
    "climb": (["x"], [
        ("let", "s", "x"), ("let", "n", "x % 6"), ("let", "k", "0"),
        ("while", "k < n", [step(6), ("set", "k", "k + 1")]), END]),
    # calls itself
    "down": (["x", "n"], [
        ("let", "s", "x"),
        ("if", "n == 0", [END]),
        step(7),
        ("return", ("call", "down", ["s", "n + 0xffffffff"]))]),
}  # fmt: skip

AHEAD = text("""
template <int N> __device__ unsigned unrolled(const unsigned *a, unsigned s)
{
    @8
    if constexpr (N > 1) {
        if (s % 4 == 1) return s;
        return unrolled<N - 1>(a, s);
    }
    return s;
}
__device__ __noinline__ unsigned pick_called(const unsigned *a, unsigned x) { return pick(a, x); }
#define ROUNDS(n) for (unsigned k = 0; k < (n); k++) { @9 if (s % 6 == 5) break; }
struct walker {
    const unsigned *a;
    unsigned s;
    __device__ bool go(unsigned limit)
    {
        for (unsigned k = 0; k < limit; k++) { @10 if (s % 8 == 3) return true; }
        return false;
    }
};
""")


SPELLINGS: dict[str, list[list[Statement] | str]] = {
    "early_return": [
        [("if", "t % 3 == 0", [END]), ("if", "t % 7 == 1", [step(20), END]),
         ("for", "i", "0", "i < 5", 1, [step(21), ("for", "j", "0", "j < 3", 1, [step(22)])]), END],
        [("if", "t % 3 != 0", [
            ("if", "t % 7 == 1", [step(20)], [
                ("for", "i", "0", "i < 5", 1,
                 [step(21), ("for", "j", "0", "j < 3", 1, [step(22)])])])]), END],
        text("if (t % 3 != 0 && t % 7 == 1) { @20 }\n"
             "unsigned n = t % 3 == 0 || t % 7 == 1 ? 0 : 5;\n"
             "for (unsigned i = 0; i < n; i++) { @21 for (unsigned j = 0; j < 3; j++) @22 }\n"
             "return s;"),
    ],
    "border_loop": [
        [("let", "n", "(t % 9 < 5) * (t % 9) + (t % 9 > 4) * 5"),
         ("for", "j", "0", "j < 5", 1, [
             ("if", "(t + j) % 6 == 0", [("continue",)]),
             ("for", "i", "0", "i < n", 1, [step(23)])]), END],
        [("let", "n", "(t % 9 < 5) * (t % 9) + (t % 9 > 4) * 5"), ("let", "j", "0"),
         ("while", "j < 5", [
             ("if", "(t + j) % 6 != 0", [("for", "i", "0", "i < n", 1, [step(23)])]),
             ("set", "j", "j + 1")]), END],
    ],
    "nested_break": [
        [("let", "n", "t % 5 + 1"),
         ("for", "i", "0", "i < 4", 1, [
             ("for", "j", "0", "j < n", 1,
              [step(24), ("if", "s % 7 == 3", [("break",)]), step(25)]),
             step(26)]), END],
        [("let", "n", "t % 5 + 1"),
         ("for", "i", "0", "i < 4", 1, [
             ("let", "go", "1"), ("let", "j", "0"),
             ("while", "(go != 0) * (j < n) != 0", [
                 step(24), ("if", "s % 7 == 3", [("set", "go", "0")], [step(25)]),
                 ("set", "j", "j + 1")]),
             step(26)]), END],
        text("unsigned n = t % 5 + 1;\nfor (unsigned i = 0; i < 4; i++) {\n"
             "for (unsigned j = 0; j < n; j++) { @24 if (s % 7 == 3) goto out; @25 }\n"
             "out: @26 }\nreturn s;"),
    ],
    "leave_two_loops": [
        [("let", "found", "0"),
         ("for", "i", "0", "(i < 4) * (found == 0) != 0", 1, [
             ("for", "j", "0", "j < 4", 1, [
                 step(27), ("if", "s % 9 == 4", [("set", "found", "1"), ("break",)])])]),
         step(28), END],
        text("for (unsigned i = 0; i < 4; i++) for (unsigned j = 0; j < 4; j++)\n"
             "{ @27 if (s % 9 == 4) goto found; }\nfound: @28\nreturn s;"),
        text("[&] { for (unsigned i = 0; i < 4; i++) for (unsigned j = 0; j < 4; j++)\n"
             "{ @27 if (s % 9 == 4) return; } }();\n@28\nreturn s;"),
    ],
    "arms_share_function": [
        [("if", "t % 2 == 0",
          [("set", "s", ("call", "pick", ["s + 1"])), ("set", "s", ("call", "pick", ["s"]))],
          [("set", "s", ("call", "pick", ["s + 2"])), step(29)]), step(30), END],
        text("s = t % 2 == 0 ? pick(a, pick(a, s + 1)) : pick(a, s + 2);\nif (t % 2) { @29 }\n"
             "@30\nreturn s;"),
        text("if (t % 2 == 0) s = pick_called(a, pick_called(a, s + 1));\n"
             "else { s = pick_called(a, s + 2); @29 }\n@30\nreturn s;"),
    ],
    "arms_share_loop": [
        [("if", "s % 3 == 1", [("set", "s", ("call", "search", ["s"]))],
          [("set", "s", ("call", "search", ["s + 9"])), ("set", "s", ("call", "search", ["s"]))]),
         ("set", "s", ("call", "search", ["s + 4"])), END],
        [("set", "s", ("?", "s % 3 == 1", ("call", "search", ["s"]),
                       ("call", "search", [("call", "search", ["s + 9"])]))),
         ("set", "s", ("call", "search", ["s + 4"])), END],
        text("auto look = [=](unsigned from) { return search(a, from); };\n"
             "if (s % 3 == 1) s = look(s); else s = look(look(s + 9));\nreturn look(s + 4);"),
    ],
    "two_exits": [
        [("let", "k", "0"),
         ("while", "1 == 1", [
             step(31), ("if", "s % 11 == 3", [step(32), ("break",)]),
             ("if", "s % 11 == 7", [step(33), step(34), ("break",)]),
             ("set", "k", "k + 1"), ("if", "k == 9", [("break",)])]),
         step(35), END],
        [("let", "k", "0"), ("let", "go", "1"),
         ("do", [
             step(31),
             ("if", "s % 11 == 3", [step(32), ("set", "go", "0")],
              [("if", "s % 11 == 7", [step(33), step(34), ("set", "go", "0")])]),
             ("set", "k", "k + 1")], "(go != 0) * (k < 9) != 0"),
         step(35), END],
        text("unsigned k = 0;\nfor (;;) { @31 if (s % 11 == 3) { @32 goto done; }\n"
             "if (s % 11 == 7) { @33 @34 break; }\nif (++k == 9) break; }\ndone: @35\nreturn s;"),
    ],
    "fall_through": [
        [("switch", "t % 5", [([0], [step(36)]), ([1], [step(37), ("break",)]),
                              ([2, 3], [step(38)]), (None, [step(39)])]), step(40), END],
        [("let", "v", "t % 5"),
         ("if", "v < 2", [("if", "v == 0", [step(36)]), step(37)],
          [("if", "v < 4", [step(38)]), step(39)]), step(40), END],
    ],
    "switch_in_loop": [
        [("for", "k", "0", "k < 6", 1, [
            ("switch", "(s + k) % 6", [
                ([0], [step(41), ("continue",)]), ([1], [step(42)]), ([2], [step(43), ("break",)]),
                ([3], [("set", "s", ("call", "climb", ["s"])), ("break",)]),
                ([4], [step(44), END])]),
            step(45)]), END],
        [("for", "k", "0", "k < 6", 1, [
            ("let", "v", "(s + k) % 6"),
            ("if", "v == 0", [step(41), ("continue",)]),
            ("if", "v == 1", [step(42)]),
            ("if", "(v == 1) + (v == 2) != 0", [step(43)],
             [("if", "v == 3", [("set", "s", ("call", "climb", ["s"]))],
               [("if", "v == 4", [step(44), END])])]),
            step(45)]), END],
    ],
    "ternary": [
        # One load of a chosen address, as nvcc compiles it.
        [("set", "s", ("op", "+", "s", ("load", "s + 47 - (t % 4 < 2)"))), step(48), END],
        text("s += t % 4 < 2 ? a[(s + 46) % 4096u] : a[(s + 47) % 4096u];\n@48\nreturn s;"),
    ],
    "short_circuit": [
        [("for", "k", "0", "k < 4", 1, [
            ("if", ("and", is_high(49), ("or", is_high(50), is_high(51))), [step(52)]), step(53)]),
         END],
        [("for", "k", "0", "k < 4", 1, [
            ("let", "yes", "0"),
            ("if", is_high(49), [
                ("if", is_high(50), [("set", "yes", "1")],
                 [("if", is_high(51), [("set", "yes", "1")])])]),
            ("if", "yes == 1", [step(52)]), step(53)]), END],
        text("for (unsigned k = 0; k < 4; k++) { bool yes = ?49 && (?50 || ?51);\n"
             "if (yes) { @52 } @53 }\nreturn s;"),
    ],
    "condition_calls": [
        [("if", ("and", "t % 3 != 0", ("op", ">", ("call", "climb", ["s"]), "900")), [step(54)]),
         ("set", "s", ("call", "climb", ["s + 1"])), END],
        [("let", "v", "0"),
         ("if", "t % 3 != 0", [("set", "v", ("call", "climb", ["s"]))]),
         ("if", "v > 900", [step(54)]), ("set", "s", ("call", "climb", ["s + 1"])), END],
        text("bool yes = t % 3 != 0 && climb(a, s) > 900;\nif (yes) { @54 }\n"
             "return climb(a, s + 1);"),
    ],
    "calls_in_ternary": [
        [("set", "s", ("op", "+", ("?", "t % 2 == 1", ("call", "climb", ["s"]), "s"),
                       ("load", "s"))),
         step(55), END],
        [("let", "v", "s"), ("let", "w", "s"),
         ("if", "t % 2 == 1", [("set", "v", ("call", "climb", ["s"]))]),
         ("set", "s", ("op", "+", "v", ("load", "w"))), step(55), END],
    ],
    "continue_or_not": [
        [("for", "k", "0", "k < 8", 1, [step(56), ("if", "s % 3 == 0", [("continue",)]), step(57)]),
         END],
        [("for", "k", "0", "k < 8", 1, [step(56), ("if", "s % 3 != 0", [step(57)])]), END],
        text("unsigned k = 0;\ndo { @56 if (s % 3 == 0) continue; @57 } while (++k < 8);\n"
             "return s;"),
    ],
    "do_while": [
        [("let", "k", "0"), ("do", [step(58), ("set", "k", "k + 1")],
                             ("and", "k < 9", is_high(59, 300000))), step(60), END],
        [("let", "k", "0"),
         ("while", "1 == 1", [
             step(58), ("set", "k", "k + 1"),
             ("if", ("not", ("and", "k < 9", is_high(59, 300000))), [("break",)])]),
         step(60), END],
        text("unsigned k = 0;\nagain: @58 k++;\n"
             "if (k < 9 && a[(s * 5 + 59) % 4096u] > 300000) goto again;\n@60\nreturn s;"),
    ],
    "empty_body": [
        [("let", "k", "0"),
         ("while", ("and", "k < 9", ("op", ">", ("load", "s * 5 + k * 3"), "300000")),
          [("set", "k", "k + 1")]), ("set", "s", "s + k"), step(61), END],
        text("unsigned k;\nfor (k = 0; k < 9 && a[(s * 5 + k * 3) % 4096u] > 300000; k++);\n"
             "s += k;\n@61\nreturn s;"),
        text("unsigned k = 0;\nwhile (k < 9 && a[(s * 5 + k * 3) % 4096u] > 300000) k++;\n"
             "s += k;\n@61\nreturn s;"),
    ],
    "loads_in_head": [
        [("let", "k", "0"),
         ("while", ("op", ">", ("load", "s * 7 + k"), "200000"), [
             ("for", "j", "0", "j < t % 3", 1, [step(62)]), ("set", "k", "k + 1"),
             ("if", "k > 7", [("break",)])]), END],
        text("for (unsigned k = 0; a[(s * 7 + k) % 4096u] > 200000;) {\n"
             "for (unsigned j = 0; j < t % 3; j++) @62\nif (++k > 7) break; }\nreturn s;"),
        text("unsigned k = 0;\nfor (;;) { if (a[(s * 7 + k) % 4096u] <= 200000) break;\n"
             "for (unsigned j = 0; j < t % 3; j++) @62\nif (++k > 7) break; }\nreturn s;"),
    ],
    "unrolled_break": [
        [("for", "k", "0", "k < 6", 1, [step(63), ("if", "s % 7 == 2", [("break",)])]), step(64),
         END],
        text("#pragma unroll\nfor (unsigned k = 0; k < 6; k++) { @63 if (s % 7 == 2) break; }\n"
             "@64\nreturn s;"),
        text("#pragma unroll 3\nfor (unsigned k = 0; k < 6; k++) { @63 if (s % 7 == 2) break; }\n"
             "@64\nreturn s;"),
    ],
    "unrolled_template": [
        [("for", "k", "0", "k < 4", 1, [step(8), ("if", "s % 4 == 1", [("break",)])]), step(65),
         END],
        text("s = unrolled<4>(a, s);\n@65\nreturn s;"),
    ],
    "recursion": [
        [("let", "n", "t % 7"), ("for", "k", "0", "k < n", 1, [step(7)]), step(66), END],
        [("set", "s", ("call", "down", ["s", "t % 7"])), step(66), END],
    ],
    "macro_loop": [
        [("for", "k", "0", "k < t % 5 + 1", 1, [step(9), ("if", "s % 6 == 5", [("break",)])]),
         step(67), END],
        text("ROUNDS(t % 5 + 1)\n@67\nreturn s;"),
    ],
    "method": [
        [("let", "hit", "0"),
         ("for", "k", "0", "k < 6", 1,
          [step(10), ("if", "s % 8 == 3", [("set", "hit", "1"), ("break",)])]),
         ("if", "hit == 1", [step(68)]), step(69), END],
        text("walker w{a, s};\nbool hit = w.go(6);\ns = w.s;\nif (hit) { @68 }\n@69\nreturn s;"),
        text("walker w = {a, s};\nif (w.go(6)) { s = w.s; @68 } else s = w.s;\n@69\nreturn s;"),
    ],
}  # fmt: skip
