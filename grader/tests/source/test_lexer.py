"""The tokens of C: what is a comment, a text, a number, and where each stands."""

import time

import pytest

from grader.source import lexer

# The comments of a text.
COMMENTS = {
    'log("http://x"); if (x < 1)': [],
    "c = '\"'; // \" '": ["// \" '"],
    '"a\\" // b" /* c */ d': ["/* c */"],
    "a // b \\\n still \\ \n a comment\nc": ["// b \\\n still \\ \n a comment"],
    "a /\\\n/ b\nc /\\\n* d *\\\n/ e": ["/\\\n/ b", "/\\\n* d *\\\n/"],
    "/* a\n // */ b // c */": ["/* a\n // */", "// c */"],
    'R"(// no )" R"x(/* )" )x" u8R"(")" // yes': ["// yes"],
    "1'000'000 // x\n'a'": ["// x"],
    "a // b\r\nc\r\n": ["// b\r"],
    "/* never ends //": ["/* never ends //"],
    "#error don't /* x\nq /* y */": ["/* y */"],
    "a\0b // \x80\0": ["// \x80\0"],
    "caf\xe9 // \xe9": ["// \xe9"],
    "a/b //": ["//"],
    "": [],
}


@pytest.mark.parametrize("source", COMMENTS)
def test_comments_become_spaces(source: str) -> None:
    found = [t for t in lexer.tokens(source) if t.kind == "comment"]
    assert [source[t.start : t.end] for t in found] == COMMENTS[source]
    blank = "".join(" " if any(t.start <= at < t.end for t in found) else c
                    for at, c in enumerate(source))  # fmt: skip
    plain = lexer.without_comments(source)
    assert plain == "".join("\n" if c == "\n" else b for c, b in zip(source, blank, strict=True))


def test_tokens_have_their_positions() -> None:
    source = 'int x<:2:> = <%0x1p+3, 1\'0, .5f%>; "a\\\nb" wi\\\nde %:\n  %:pragma u8"é"->y'
    tokens = list(lexer.tokens(source))
    assert [token.text for token in tokens] == [
        *("int", "x", "[", "2", "]", "=", "{", "0x1p+3", ",", "1'0", ",", ".5f", "}", ";"),
        *('"ab"', "wide", "#", "#", "pragma", 'u8"é"', "->", "y"),
    ]
    for token in tokens:
        if token.kind in ("word", "number", "text"):
            assert source[token.start : token.end].replace("\\\n", "") == token.text
    assert [token.text for token in tokens if token.first] == ["int", "#"]


def test_preprocessed_text_has_no_comments() -> None:
    found = [match[0] for match in lexer.preprocessed("a // asm\n# 1 /* x */ asm")]
    assert found == ["a", "/", "/", "asm", "# 1 /* x */ asm"]


def test_a_text_without_an_end_hides_nothing_of_preprocessed_text() -> None:
    found = [match[0] for match in lexer.preprocessed('"a asm\nb \'c asm\nR"x( asm')]
    assert found == ['"', "a", "asm", "b", "'", "c", "asm", "R", '"', "x", "(", "asm"]


@pytest.mark.parametrize(
    "word", ['R"(', 'R"a(', '"\\', "'\\", "/*", "\\\n", "'a\\\n", "(", "\0", '"']
)
def test_hostile_text_takes_linear_time(word: str) -> None:
    start = time.process_time()
    for read in (lexer.tokens, lexer.preprocessed):
        list(read(word * 50_000))
    assert time.process_time() - start < 5
