"""Downloads of learning management systems (grader/classroom/bulk/intake/layouts/, discover.py).

An input is a list of paths, a newline after each, that a zip of a class and a folder have; what
follows a tab is the file's content, with \\n for a line end.
"""

import shutil
from collections.abc import Iterator
from unittest import mock

import msgspec

from grader.classroom.bulk.intake import archive, discover
from grader.classroom.bulk.intake.archive import Candidate, Member, Opened
from grader.classroom.bulk.intake.discover import Download, download
from grader.classroom.bulk.intake.layouts import plain
from grader.model import plain_text
from grader.tests.fuzz import scratch
from grader.tests.fuzz.targets.student_names import is_name

HOME = scratch.folder()
MOST, DEEPEST = 16, 5  # paths, and folders of one
META = (
    b"\tsubmission_1:" + rb"\n  :submitters:\n  - :name: A\n    :sid: 1"
    rb"\n  :created_at: 2027-03-01 22:10:05 Z"
)


def seeds() -> Iterator[bytes]:
    yield b"ada_1_10_x.c\nada_1_12_x-1.c\nbo_LATE_2_3_y.zip\nanon_aB1_3_z.c\ncy_4_text.html"
    yield b"A B_1_assignsubmission_file/x.c\nC_2_assignsubmission_file_/y"
    yield b"Default group_assignsubmission_file/z\n\xec\xb0\xb8_3_assignsubmission_onlinetext/t"
    yield b"A_1_assignsubmission_file_x.c\nA_1_assignsubmission_onlinetext_onlinetext.html"
    yield b"e/submission_1/x.c\ne/submission_2/y.c\ne/submission_metadata.yml" + META
    yield b"submission_1/x.c\nsubmission_metadata.yml\t&a [*a, !!python/object:os.system {}]"
    yield b"a@b.c_1_x.c\na@b.c_20_x.c\nd_e@f.g_0_y.tar"
    yield b"a@b.c/1_x.c\na@b.c/2_x.c\na@b.c/annotated_1_x.c\nd@e.f/3_autograde.txt"
    yield b"lab1-ada/.git/HEAD\tref: refs/heads/main\nlab1-bo/.git/packed-refs\nlab1-bo/x.c"
    yield b"a/b/c/ada_1_2_x.c\na/b/c/bo_2_3_y.c"
    yield b"../x_1_2_y\n/etc/passwd\nx\\y\n\xff_1_2_\xfe\n\x1b[2J_3_4_z\n_1_2_3_4_5_6"
    yield b"a.zip\na\na.tar.gz\n=1+1/x\n-rf/y\n.hidden\n__MACOSX/x\nThumbs.db"


def parse(data: bytes) -> dict[tuple[bytes, ...], bytes]:
    tree: dict[tuple[bytes, ...], bytes] = {}
    for line in data.split(b"\n")[:MOST]:
        path, _, content = line.partition(b"\t")
        parts = tuple(path.split(b"/"))
        if all(map(is_name, parts)) and len(parts) <= DEEPEST:
            tree[parts] = content.replace(rb"\n", b"\n")
    return tree


def on_disk(tree: dict[tuple[bytes, ...], bytes]) -> Download:
    folder = HOME / "class"
    folder.mkdir()
    try:
        for parts, content in tree.items():
            file = folder.joinpath(*(part.decode(errors="surrogateescape") for part in parts))
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            except OSError:  # a file where another path has a folder, or a name that is too long
                continue
        return download(folder)
    finally:
        shutil.rmtree(folder)


def in_zip(tree: dict[tuple[bytes, ...], bytes]) -> Download:
    """As the sandbox would list it."""
    named = {b"/".join(p).decode(errors="replace"): content for p, content in tree.items()}
    members = [Member(path, len(content), "") for path, content in named.items()]

    def taken(_: object, paths: list[str]) -> Opened:
        return Opened([Candidate(path, named.get(path, b"")) for path in paths])

    with (
        mock.patch.object(archive, "listing", lambda _: (members, "")),
        mock.patch.object(archive, "members", taken),
    ):
        return download(HOME / "class.zip")


def check(data: bytes) -> None:
    tree = parse(data)
    for found in (on_disk(tree), in_zip(tree)):
        layouts = {layout.name for layout in (*discover.LAYOUTS, plain.LAYOUT)}
        assert found.layout in layouts and plain_text.line(str(found)) == str(found)
        assert plain_text.line(found.doubt) == found.doubt
        students = [entry.student for entry in found.entries]
        assert students == sorted(set(students)), "two entries have one id"
        for entry in found.entries:
            assert entry.student.isprintable() and "/" not in entry.student
            assert ".." not in (entry.student, *entry.student.split("/"))
            assert msgspec.json.encode(entry.people), "the store cannot keep them"
            assert entry.submitted is None or entry.submitted.tzinfo is not None
            assert all(plain_text.line(note) == note for note in entry.notes)
            for path in entry.paths.values():
                assert ".." not in path.parts, "a path outside of the download"
                assert path.is_absolute() == (entry.archive is None)
