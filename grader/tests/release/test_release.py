"""The students' archive: its files, its bytes, and a gate that finds every planted secret.

`make release-check` also uses the archive as a student does, which takes a minute.
"""

import ast
import gzip
import hashlib
import io
import os
import py_compile
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import get_args

import pytest

from grader import paths
from grader.model.assistants import Assistants
from grader.release import __main__ as release
from grader.release import archive, assistants, contents, gate, links, secret
from grader.release.contents import Member, ReleaseError
from grader.tests import captured
from grader.tests.known_submissions import entries as known_submissions

ROOT = paths.ROOT
FOLDER = "convlabs-student-0"
LABS = contents.chosen_labs(ROOT, [])
SOLUTION = "solutions/lab4_shared_tile/shared_tile.cu"


def packed(*members: Member) -> bytes:
    return archive.pack(list(members), FOLDER, 0)


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """make as from a terminal: without the flags of the make that runs these tests."""
    flags = ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "FAST")
    environment = {name: value for name, value in os.environ.items() if name not in flags}
    return captured.run(["make", *arguments], cwd=folder, env=environment)


def text(content: str, path: str = "handouts/lab1.md") -> Member:
    return Member(path, content.encode(), False)


@pytest.fixture(scope="module")
def files() -> list[str]:
    return contents.tracked(ROOT)


@pytest.fixture(scope="module")
def whole(files: list[str]) -> list[Member]:
    return contents.members(ROOT, files, contents.lists(), LABS)


@pytest.fixture(scope="module")
def known(files: list[str]) -> gate.Known:
    return gate.known(ROOT, files, contents.lists())


@pytest.fixture(scope="module")
def solution_line(known: gate.Known) -> str:
    """A secret line of SOLUTION, as it is written there."""
    whats = (text.what for text in known.texts if f"({SOLUTION}:" in text.what)
    return next(what for what in whats if " = " in what).partition("): ")[2]


def test_the_list_is_short_and_says_nothing_twice(files: list[str]) -> None:
    """Each pattern lets files in that no other does."""
    patterns = contents.lists().inside
    assert len(patterns) <= 10
    for one in patterns:
        others = [pattern for pattern in patterns if pattern != one]
        assert len(others) == len(patterns) - 1
        own = [path for path in files if contents.matches(path, [one])]
        assert own and not any(contents.matches(path, others) for path in own), one


def test_a_new_folder_stays_outside(files: list[str], whole: list[Member]) -> None:
    """Only student.toml lets files in."""
    new = ["grader/new/answers.txt", "handouts/keys/a.md", "labs/studies/new/a.csv", "notes/a.txt"]
    with_new = contents.members(ROOT, [*files, *new], contents.lists(), LABS)
    assert [m.path for m in with_new] == [m.path for m in whole]


@pytest.mark.parametrize("everything", [["**"], ["**", "solutions/**", "grader/**"]])
def test_no_pattern_admits_instructor_files(
    files: list[str], known: gate.Known, everything: list[str]
) -> None:
    """The gate knows these folders by itself."""
    careless = gate.Known(contents.Lists(everything, []), known.texts, known.seeds, known.modules)
    secret_ones = ("solutions/", "grader/classroom/", "grader/release/", "grader/tests/")
    for path in [path for path in files if path.startswith(secret_ones)][::40]:
        (found,) = gate.findings(packed(text("1\n", path)), careless)
        assert found == f"{path}: this file stays with the instructor, whatever a list says"
    for lab in LABS:
        (found,) = gate.findings(packed(text("1\n", f"labs/{lab}/hidden.toml")), careless)
        assert "stays with the instructor" in found


def test_students_have_every_module_that_theirs_import(whole: list[Member]) -> None:
    """Also those that a function imports when it runs."""
    have = {m.path for m in whole}
    for member in whole:
        if member.path.startswith("grader/") and member.path.endswith(".py"):
            for module in imported(member.content):
                file = module.replace(".", "/")
                assert have & {f"{file}.py", f"{file}/__init__.py"}, f"{member.path}: {module}"


def imported(source: bytes) -> set[str]:
    """The modules of the grader that a file imports, anywhere in it."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
            folder = ROOT / node.module.replace(".", "/")
            inner = [alias.name for alias in node.names]
            modules |= {f"{node.module}.{n}" for n in inner if (folder / f"{n}.py").exists()}
    return {module for module in modules if module.partition(".")[0] == "grader"}


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("grader/cli.py", "grader/*.py", True),
        ("grader/classroom/bulk/cli.py", "grader/*.py", False),
        ("grader/model/spec.py", "grader/{checks,model}/**", True),
        ("grader/models/spec.py", "grader/{checks,model}/**", False),
        ("labs/lab1_cpu_loop/lab.h", "labs/{lab*_*,sim}/**", True),
        ("labs/tests/sim/exec/test_a.py", "labs/tests/**.{c,cu}", False),
        ("labs/tests/sim/exec/test_a.cu", "labs/tests/**.{c,cu}", True),
        ("labs/sim/src/exec/a.c", "labs/sim/**", True),
        ("labs/simulator.c", "labs/sim/**", False),
        ("Makefile.bak", "Makefile", False),
    ],
)
def test_pattern_matches_paths(path: str, pattern: str, expected: bool) -> None:
    assert contents.matches(path, [pattern]) == expected


def test_archive_is_reproducible(files: list[str], whole: list[Member]) -> None:
    again = contents.members(ROOT, list(reversed(files)), contents.lists(), LABS)
    hashes = {hashlib.sha256(archive.pack(m, FOLDER, 1)).hexdigest() for m in (whole, again)}
    assert len(hashes) == 1


def test_archive_contains_no_machine_data(whole: list[Member]) -> None:
    data = archive.pack(whole, FOLDER, 1_700_000_000)
    assert data[3] == 0  # no flag: no name
    assert data[4:8] == b"\0\0\0\0"  # no time
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        entries = tar.getmembers()
    assert [e.name for e in entries] == sorted(e.name for e in entries)
    owners = {(e.uid, e.gid, e.uname, e.gname, e.mtime, e.isreg()) for e in entries}
    assert owners == {(0, 0, "", "", 1_700_000_000, True)}
    assert {e.mode for e in entries} == {0o644, 0o755}


def test_archive_contains_the_student_files(whole: list[Member]) -> None:
    names = {member.path for member in whole}
    assert {"grade", "Makefile", "README.md", "LICENSE", "datasets/manifest.toml"} <= names
    assert {"starter/lab4_shared_tile/shared_tile.cu", "labs/sim/translate/translation.py"} <= names
    assert {"handouts/lab8.md", "labs/lab1_cpu_loop/test_lab1.c"} <= names
    lost = ("solutions/", "grader/tests/", "grader/release/", ".ci/")
    assert not [name for name in names if name.startswith(lost)]
    assert next(m for m in whole if m.path == "grade").executable


def test_students_get_every_file_unchanged(whole: list[Member]) -> None:
    """README.md and Makefile too: there is nothing in them that students may not read."""
    copies = {m.path: m for m in whole if re.match(r"labs/lab\d_\w+/starter/", m.path)}
    others = [m for m in whole if m.path not in copies]
    assert [m.path for m in others if (ROOT / m.path).read_bytes() != m.content] == []
    starters = {m.path: m.content for m in others if m.path.startswith("starter/")}
    as_copies = {re.sub(r"starter/(\w+)/", r"labs/\1/starter/", p): c for p, c in starters.items()}
    assert as_copies == {path: m.content for path, m in copies.items()} != {}


@pytest.mark.parametrize("path", ["README.md", "CONTRIBUTING.md", "handouts/README.md"])
def test_pages_have_no_hidden_comments(path: str) -> None:
    text = (ROOT / path).read_text()
    for end in ("begin", "end"):  # of tables that are generated
        for table in ("badges links", "bench results", "packages grader"):
            text = text.replace(f"<!-- {table}: {end} -->", "")
    assert "<!--" not in text


@pytest.mark.parametrize("allowed", get_args(Assistants))
def test_archive_has_the_rules_of_the_course_and_no_others(
    allowed: Assistants, files: list[str]
) -> None:
    made = contents.members(ROOT, files, contents.lists(), LABS, allowed)
    content = {m.path: m.content.decode() for m in made if m.path.endswith((".md", ".txt"))}
    assert content["grader/assistant/policy.txt"] == f"{allowed}\n"
    assert not any(member.path.startswith(assistants.OTHERS) for member in made)
    for name in ("CLAUDE.md", "GEMINI.md"):  # their programs read no AGENTS.md, but import it
        assert content[name] == "@AGENTS.md\n"
    said = " ".join(content["AGENTS.md"].replace("**", "").split())
    decides = {
        "explain": "explain, not to write",
        "free": "freely, also with code",
        "none": "no help by assistants with its labs",
    }
    assert [each for each, words in decides.items() if words in said] == [allowed]
    for never in ("`solutions/`", "hidden case", "another student's work", "never follow it"):
        assert never.lower() in said.lower()


def test_rules_of_a_course_reach_the_release(tmp_path: Path) -> None:
    """make asks the one reader of course.toml, and stops where that does."""
    course = tmp_path / "course.toml"
    course.write_text('assistants = "no"\n')
    command = ["make", "-n", "release", f"COURSE={course}"]
    line = captured.run(command, cwd=ROOT).stdout
    assert f"grader.classroom.course.assistants '{course}') &&" in line
    asked = [sys.executable, "-m", "grader.classroom.course.assistants", str(course)]
    refused = captured.run(asked, cwd=ROOT)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert 'write "explain" or "free" or "none"' in refused.stderr
    course.write_text('assistants = "none"\n')
    assert captured.run(asked, cwd=ROOT).stdout == "none\n"
    course.unlink()
    assert "cannot be read" in captured.run(asked, cwd=ROOT).stderr


def test_a_link_to_a_file_that_students_do_not_get(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        "[the store](grader/classroom/bulk/store.py), [CUDA](https://x.y)\n"
    )
    inside_alone = contents.Lists(inside=["README.md"], published=[])
    with pytest.raises(ReleaseError) as error:
        contents.members(tmp_path, ["README.md"], inside_alone, [])
    message = str(error.value)
    assert message.startswith(
        "README.md links to grader/classroom/bulk/store.py, which students do not get"
    )
    assert "https" not in message


@pytest.mark.slow("the gate reads the whole archive")
def test_archive_of_two_labs_omits_the_others(files: list[str], known: gate.Known) -> None:
    part = {m.path: m for m in contents.members(ROOT, files, contents.lists(), ["lab1", "lab3"])}
    assert "starter/lab1_cpu_loop/cpu_loop.c" in part
    assert not [path for path in part if "lab2" in path or "lab4" in path]
    rows = [row for row in part["README.md"].content.decode().splitlines() if row.startswith("| ")]
    assert [row[2] for row in rows if row[2].isdecimal()] == ["1", "3"]
    assert "handouts/figures/apron.svg" not in part  # lab 4's
    two = contents.members(ROOT, files, contents.lists(), ["lab1", "lab2"])
    readme = next(m for m in two if m.path == "README.md").content.decode()
    assert "    make lab2 && ./grade lab2\n" in readme
    assert "`make lab2-test`" in readme
    assert "lab3" not in readme
    assert gate.findings(archive.pack(list(part.values()), FOLDER, 0), known) == []
    with pytest.raises(ReleaseError, match="there is no lab9; the labs are lab1 lab2"):
        contents.chosen_labs(ROOT, ["lab9"])


@pytest.mark.slow("the gate reads the whole archive")
def test_gate_accepts_the_archive(whole: list[Member], known: gate.Known) -> None:
    assert len(known.texts) > 500
    assert gate.findings(packed(*whole), known) == []


def test_every_link_of_a_part_leads_somewhere(files: list[str]) -> None:
    part = contents.members(ROOT, files, contents.lists(), ["lab2", "lab4"])
    names = {member.path for member in part}
    pages = [member for member in part if member.path.endswith(".md")]
    assert len(pages) > 5
    for page in pages:
        assert names.issuperset(links.targets(page.path, page.content.decode())), page.path


def test_the_makefile_offers_what_works(whole: list[Member], tmp_path: Path) -> None:
    (tmp_path / "a.tar.gz").write_bytes(packed(*whole))
    folder = archive.unpack(tmp_path / "a.tar.gz", tmp_path / "unpacked")
    for goal in ("help", "help-all"):
        shown = make(folder, goal)
        assert shown.returncode == 0
        assert shown.stderr == ""
        assert "make test " in shown.stdout
        for absent in ("release", "reproduce", "starters", "lint", "known-table", "gradescope"):
            assert f"make {absent}" not in shown.stdout
    assert "make check-planted " in shown.stdout
    goals = re.findall(r"make ([a-z0-9-]+)", shown.stdout)
    dry = make(folder, "-n", *goals)
    assert dry.returncode == 0, dry.stderr


def test_the_repositorys_test_command_tests_everything() -> None:
    dry = make(ROOT, "-n", "test")
    steps = "lint unit-plain unit-asan python-part"
    assert f"steps.py --stop 'make test' {steps}\n" in dry.stdout, dry.stderr


def test_pattern_without_files_is_an_error(tmp_path: Path) -> None:
    """Or lint and tests would pass on an empty list."""
    for name in ("Makefile", "labs/runtime/submission.mk"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    ended = make(tmp_path, "unit")
    assert ended.returncode == 2
    assert "no file matches labs/" in ended.stderr


@pytest.mark.parametrize("squeezed", [False, True])
def test_a_line_of_a_solution(known: gate.Known, solution_line: str, squeezed: bool) -> None:
    line = "".join(solution_line.split()) if squeezed else f"\t{solution_line.strip()}  // so"
    (found,) = gate.findings(packed(text(f"Try this:\n\n    {line}\n")), known)
    assert f"handouts/lab1.md: a line of a solution ({SOLUTION}:" in found


def test_trivial_lines_are_not_secret() -> None:
    assert not any(map(secret.telling, ("}", "continue;", "__syncthreads();", "} else {", "")))
    assert secret.telling("sum[x] += coefficient * line[a];")


def test_gate_recognizes_every_solution_by_its_lines(known: gate.Known) -> None:
    """The gate finds every solution under another name."""
    for file in sorted((ROOT / "solutions").glob("lab*/*.c*")):
        planted = text(file.read_text(), "labs/lab1_cpu_loop/expert.c")
        assert len(gate.findings(packed(planted), known)) > 5, file


def test_gate_finds_every_right_known_submission(known: gate.Known) -> None:
    right = [e for e in known_submissions.everything() if e.verdict == "right" and e.apart]
    unseen = [
        f"{entry}/{name}"
        for entry in right
        for name in entry.apart
        if not gate.findings(packed(text(known_submissions.files(entry)[name])), known)
    ]
    assert right
    assert unseen == []


def test_a_seed_of_hidden_cases(known: gate.Known) -> None:
    (seed, where) = next(iter(known.seeds.items()))
    assert gate.findings(packed(text(f"seed = {seed}\n")), known) == [
        f"handouts/lab1.md: the seed of hidden cases ({where})"
    ]
    assert gate.findings(packed(text(f"0.{seed} and 1{seed} and {seed}7\n")), known) == []


def test_the_words_of_a_hidden_case(known: gate.Known) -> None:
    hidden = (ROOT / "solutions/lab3_constant_mask/hidden.toml").read_text()
    found = gate.findings(packed(text(hidden, "labs/lab3_constant_mask/more.toml")), known)
    assert any("the rationale of a hidden case" in line for line in found)
    assert any("the seed of hidden cases" in line for line in found)


def test_a_compiled_module_of_the_instructor(known: gate.Known, tmp_path: Path) -> None:
    made = py_compile.compile(str(ROOT / "grader" / "release" / "gate.py"), str(tmp_path / "x"))
    assert made
    planted = Member("grader/render/__pycache__/x.pyc", Path(made).read_bytes(), False)
    found = gate.findings(packed(planted), known)
    assert any("a cache of compiled Python" in line for line in found)
    assert any("not a text" in line for line in found)
    assert any("the first line of grader/release/gate.py" in line for line in found)


def test_gate_rejects_compiled_programs(known: gate.Known) -> None:
    planted = Member("labs/runtime/reference.h", b"\x7fELF" + bytes(range(256)), False)
    assert any("a compiled program" in line for line in gate.findings(packed(planted), known))


def zipped(name: str, data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packing:
        packing.writestr(name, data)
    return file.getvalue()


def test_gate_rejects_nested_archives(known: gate.Known) -> None:
    answer = (ROOT / SOLUTION).read_bytes()
    inner = packed(Member("x.cu", answer, False))
    for data in (zipped("x.cu", answer), gzip.compress(answer), zipped("x.tgz", inner)):
        found = gate.findings(packed(Member("handouts/figures/x.svg", data, False)), known)
        assert any("in it " in line and "a line of a solution" in line for line in found)


def test_gate_rejects_broken_archives(known: gate.Known) -> None:
    assert gate.findings(b"no gzip", known) == ["the archive cannot be unpacked; make it again"]
    cut = zipped("x", b"x" * 1000)[:-40] + b"PK\5\6" + b"\0" * 18
    found = gate.findings(packed(Member("handouts/lab1.md", cut, False)), known)
    assert any("not a text" in line for line in found)


def test_names_that_stay_outside(known: gate.Known) -> None:
    found = gate.findings(
        packed(text("1\n", "grader/classroom/bulk/store.py"), text("2\n", "notes/x.txt")), known
    )
    assert found == [
        "grader/classroom/bulk/store.py: this file stays with the instructor, whatever a list says",
        "notes/x.txt: this file is not in the list `inside` of grader/release/student.toml",
    ]


def test_a_module_that_needs_an_instructors(known: gate.Known) -> None:
    needs = "from grader.release import gate\n"
    found = gate.findings(packed(text(needs, "grader/handy.py")), known)
    assert any("imports grader.release.gate" in line for line in found)
    optional = "try:\n    from grader.release import gate\nexcept ImportError:\n    pass\n"
    assert gate.findings(packed(text(optional, "grader/handy.py")), known) == []


def test_gate_rejects_links(known: gate.Known) -> None:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        entry = tarfile.TarInfo(f"{FOLDER}/grade")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(entry)
    (found,) = gate.findings(gzip.compress(plain.getvalue()), known)
    assert "a link, folder or device" in found


def test_uncommitted_changes_are_refused(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "new.txt").write_text("x\n")
    with pytest.raises(ReleaseError, match=r"(?s)not committed:.*new\.txt.*DIRTY=1"):
        release.make(tmp_path, [], dirty=False)


def test_dirty_packs_the_working_tree_and_lists_new_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True)

    git("init", "-q")
    for name in ("README.md", "LICENSE"):
        (tmp_path / name).write_text("committed\n")
    git("add", ".")
    git("commit", "-qm", "a")
    (tmp_path / "LICENSE").unlink()
    (tmp_path / ".gitignore").write_text("*.o\n")
    for name in ("Makefile", "notes.txt", "built.o"):
        (tmp_path / name).write_text("new\n")
    assert release._files(tmp_path, dirty=False) == ["LICENSE", "README.md"]
    _, data, _ = release.make(tmp_path, [], dirty=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        names = [Path(name).name for name in tar.getnames() if "/labs/" not in name]
        (commit,) = (tar.extractfile(name) for name in tar.getnames() if "commit.txt" in name)
        assert commit is not None and re.fullmatch(rb"[0-9a-f]{12}-dirty\n", commit.read())
    assert sorted(names) == [".gitignore", "Makefile", "README.md", "commit.txt"]
    said = capsys.readouterr().out
    assert "new files in the archive: .gitignore, Makefile\n" in said
    assert "or of another lab): notes.txt\n" in said


def test_a_lab_without_a_page_is_refused(files: list[str]) -> None:
    others = [file for file in files if file != "handouts/lab5.md"]
    with pytest.raises(ReleaseError, match=r"lab5 has no page for students: write handouts/lab5"):
        contents.members(ROOT, others, contents.lists(), LABS)


def test_release_outside_a_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="a release is made from a git checkout"):
        contents.changes(tmp_path)


@pytest.mark.needs("root")
def test_a_checkout_that_another_user_owns(tmp_path: Path) -> None:
    """Common for root in a container; git alone refuses it."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "a").touch()
    subprocess.run(["git", "add", "a"], cwd=tmp_path, check=True)
    for path in (tmp_path, tmp_path / ".git"):
        os.chown(path, 12345, 12345)
    assert contents.tracked(tmp_path) == ["a"]


def test_handout_picture_must_be_an_image(known: gate.Known) -> None:
    path = "handouts/figures/mistakes/copied.png"
    real = (ROOT / path).read_bytes()
    assert gate.findings(packed(Member(path, real, False)), known) == []
    for data in (real + (ROOT / SOLUTION).read_bytes(), (ROOT / SOLUTION).read_bytes()):
        found = gate.findings(packed(Member(path, data, False)), known)
        assert any("not a plain picture" in line for line in found)
        assert any("a line of a solution" in line for line in found)
    elsewhere = gate.findings(packed(Member("labs/runtime/x.png", real, False)), known)
    assert any("not a text" in line for line in elsewhere)


@pytest.mark.parametrize("path", [*gate.FONTS])
def test_a_font_is_the_known_one(path: str, known: gate.Known) -> None:
    real = (ROOT / path).read_bytes()
    assert gate.findings(packed(Member(path, real, False)), known) == []
    (found, *_) = gate.findings(packed(Member(path, real + b" ", False)), known)
    assert "a font that the gate does not know" in found
    (found, *_) = gate.findings(packed(Member(f"{path}.txt", real, False)), known)
    assert "not a text" in found
