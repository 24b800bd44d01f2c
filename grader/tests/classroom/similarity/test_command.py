"""`./grade similarity` on runs with copies, groups and hostile files."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.classroom.bulk.store import Store
from grader.classroom.commands import similarity
from grader.classroom.course.person import Person
from grader.classroom.similarity import normalise, report
from grader.commands.errors import UsageError
from grader.tests import fences
from grader.tests.classroom.similarity import made_class, planted, programs

HOSTILE = {
    "latin-1": b"/* r\xe9sum\xe9 */ int f(int x) { return x; }\n",
    "one line of a megabyte": b"int x;" + b" " * (1 << 20),
    "nested 10000 deep": b"int f(void) { return " + b"(" * 10_000 + b"1" + b")" * 10_000 + b"; }\n",
    "a NUL": b"int f(int x)\0 { return x; }\n",
    "only comments": b"/* I had no time */\n// really\n",
    "empty": b"",
    "unbalanced": b"} } ) ( { int ((( #define\n#if\n",
}


def run(folder: Path, *options: str) -> str:
    import typer

    app = typer.Typer()
    app.command()(similarity.similarity)
    done = CliRunner().invoke(app, [str(folder), *options], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_copies_are_ranked_and_shown_side_by_side(tmp_path: Path) -> None:
    codes = dict(list(programs.independent("lab3").items())[8:20])
    copies = [copy for copy in planted.plants("lab3") if copy.kind == "all of these"]
    codes |= {f"<b>{copy.source}</b>": copy.code for copy in copies}
    codes["twin"] = codes["plain-a"]
    made_class.make(tmp_path / "run", "lab3", codes)
    text = run(tmp_path / "run")
    assert "identical files: plain-a, twin" in text
    table = text.partition("pair\n")[2].partition("\n\n")[0].splitlines()
    pairs = {frozenset(line.split("  (and")[0].split("  ")[-1].split(" - ")) for line in table}
    assert pairs == {
        frozenset((c.source, f"<b>{c.source}</b>")) for c in copies if c.source in codes
    }
    page = (tmp_path / "run" / "similarity.html").read_text()
    shown = fences.shown(page)
    assert "d_out[" in shown and "d_out[" not in fences.outside(shown), "programs are fenced"
    assert "&lt;b&gt;plain-a&lt;/b&gt;" in page and "<b>plain-a" not in page
    assert (
        'class="m c1"' in page
        and 'class="given"' in page
        and "http" not in page.split("</head>")[1]
    )


def test_pseudonyms_hide_every_name(tmp_path: Path) -> None:
    codes = {name: programs.independent("lab3")["plain-a"] for name in ("Ada Nobody", "Bo Noone")}
    codes["Cy Empty"] = b""
    made_class.make(tmp_path / "run", "lab3", codes)
    text = run(tmp_path / "run", "--pseudonyms", "--out", str(tmp_path / "page.html"))
    shown = text + (tmp_path / "page.html").read_text()
    assert "identical files: Student" in text
    assert not any(word in shown for word in ("Ada", "Noone", "Cy"))
    assert sorted(map(report.pseudonyms(codes), codes)) == ["Student 1", "Student 2", "Student 3"]


def test_members_of_one_group_are_not_compared(tmp_path: Path) -> None:
    code = programs.independent("lab3")["plain-a"]
    ada, bo = Person(email="a@example.org"), Person(email="b@example.org")
    people = {"one": (ada, bo), "two": (bo,)}
    made_class.make(tmp_path / "run", "lab3", {"one": code, "two": code}, people)
    assert "no pair stands out" in run(tmp_path / "run")
    made_class.make(tmp_path / "other", "lab3", {"one": code, "two": code}, {"one": (ada,)})
    assert "identical files: one, two" in run(tmp_path / "other")


def test_hostile_files_are_named_in_a_line_each(tmp_path: Path) -> None:
    made_class.make(tmp_path / "run", "lab3", HOSTILE | {"starter": programs.starter("lab3")})
    text = run(tmp_path / "run")
    for name in HOSTILE:
        assert len([line for line in text.splitlines() if line.strip().startswith(name)]) == 1, name
    assert "starter: the unchanged starter" in text
    assert "1048582 bytes; more than 131072 are not compared" in text
    assert "nested over 150 deep" in text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "for (int i = 0; i < n; i++) s += a[i];",
            "int k = 0; while (k < m) { q += b[k]; k += 1; }",
        ),
        ("if (a > b) x = x + 1;", "if (v < u) { w++; }"),
        ("int t = 4 * 8; y = *(p + t);", "z = (float)(q[W]);"),
    ],
)
def test_superficial_edits_are_ignored(first: str, second: str) -> None:
    head = "enum { W = 32 };\n"
    tokens = [
        [
            t.text
            for s in normalise.normalise(f"{head}void f() {{ {body} }}".encode()).segments
            for t in s
        ]
        for body in (first.replace("int t = 4 * 8;", "const int t = 4 * 8;"), second)
    ]
    assert tokens[0] == tokens[1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x = threadIdx.x;", "x = threadIdx.y;"),
        ("__syncthreads();", "__syncwarp();"),
        ("k<<<a, b>>>(c);", "k<<<a>>>(b, c);"),
        ("__shared__ float s[8];", "float s[8];"),
    ],
)
def test_structural_edits_are_significant(first: str, second: str) -> None:
    tokens = [
        [t.text for s in normalise.normalise(f"void f() {{ {body} }}".encode()).segments for t in s]
        for body in (first, second)
    ]
    assert tokens[0] != tokens[1]


def test_incomparable_run_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        run(tmp_path / "nothing")
    Store(tmp_path / "empty", resume=False).close()
    with pytest.raises(UsageError, match="no submissions to compare"):
        run(tmp_path / "empty")
    made_class.make(tmp_path / "run", "lab3", {"one": b"int x;"})
    with pytest.raises(UsageError, match="no submissions of lab4; the labs there are lab3"):
        run(tmp_path / "run", "--lab", "lab4")
