"""Replays the inputs that fuzzing found: every reader keeps its promises for each of them.

`make fuzz` finds more; this needs neither atheris nor clang.
"""

import hmac
import importlib
import os
import re
import subprocess
import time
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from grader import paths
from grader.classroom.bulk import protocol
from grader.classroom.bulk.intake import archive, git_time, unpack, walk
from grader.classroom.course import student_id
from grader.compile import compiler_messages
from grader.compile.permitted import elf, own_text
from grader.execute import addr2line, case, evidence, records
from grader.model import plain_text, spec
from grader.source import lexer
from grader.tests.fuzz import catalogue, corpus
from grader.timing import row_samples

SECONDS = 2.0  # of processor time, which no input may take


def inputs(name: str) -> dict[str, bytes]:
    """The seeds of a target and its corpus, by a name for messages."""
    first = {f"seed {number}": seed for number, seed in enumerate(catalogue.seeds(name))}
    return first | corpus.read(name)


def target(name: str) -> ModuleType:
    return importlib.import_module(f"grader.tests.fuzz.targets.{name}")


@pytest.mark.parametrize("name", catalogue.PYTHON)
def test_readers_in_python_keep_their_promises(name: str) -> None:
    check = target(name).check
    for label, data in inputs(name).items():
        start = time.process_time()
        try:
            check(data)
        except Exception as problem:
            raise AssertionError(f"{name}, {label}: {data[:200]!r}") from problem
        seconds = time.process_time() - start
        assert seconds < SECONDS, f"{name}, {label} takes {seconds:.1f} s"


@pytest.mark.slow("the readers in C are built with sanitizers")
@pytest.mark.parametrize("name", catalogue.C)
def test_readers_in_c_keep_their_promises(name: str, tmp_path: Path) -> None:
    program = paths.BUILD / "fuzz" / f"replay-{name}"
    subprocess.run(["make", str(program.relative_to(paths.ROOT))], cwd=paths.ROOT, check=True)
    for label, data in inputs(name).items():
        (tmp_path / label).write_bytes(data)
    files = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run([program, *files], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr.splitlines() == files


@pytest.mark.parametrize("name", catalogue.TARGETS)
def test_a_corpus_is_small(name: str) -> None:
    kept = corpus.read(name)
    assert 0 < len(kept) <= corpus.MOST_FILES
    assert sum(map(len, kept.values())) <= corpus.MOST_BYTES


def test_corpus_archive_is_unique_and_reproducible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = (corpus.FOLDER / "npy.zip").read_bytes()
    inputs = list(corpus.read("npy").values())
    monkeypatch.setattr(corpus, "FOLDER", tmp_path)
    assert corpus.read("npy") == {}
    corpus.write("npy", [*reversed(inputs), inputs[0]])
    assert (tmp_path / "npy.zip").read_bytes() == kept
    corpus.unpack("npy", tmp_path / "files")
    found = {file.name: file.read_bytes() for file in (tmp_path / "files").iterdir()}
    assert found == corpus.named(inputs)


def test_an_input_can_be_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "FOLDER", tmp_path)
    (tmp_path / "crash").write_bytes(b"new")
    corpus.write("npy", [b"old"])
    monkeypatch.setattr("sys.argv", ["corpus", "add", "npy", str(tmp_path / "crash")])
    corpus.main()
    assert sorted(corpus.read("npy").values()) == [b"new", b"old"]


def fails(name: str) -> bool:
    """Does a target notice one of its inputs?"""
    for data in inputs(name).values():
        try:
            target(name).check(data)
        except Exception:  # noqa: BLE001 - any error is one
            return True
    return False


# Readers that are broken on purpose: each must be noticed.
BROKEN = {
    "a forged frame is taken": ("evidence_frames", hmac, "compare_digest", lambda *_: True),
    "a kind of frame is unknown": ("evidence_frames", evidence, "KINDS", frozenset(b"B")),
    "bytes that are no UTF-8 raise": (
        *("evidence_json", records, "decode"),
        lambda text, kind: msgspec.json.decode(text, type=kind),
    ),
    "text is printed as it is": (
        *("printed_lines", case, "_lines"),
        lambda printed: printed.decode(errors="replace").splitlines(),
    ),
    "a name is kept as it is": ("student_names", student_id, "of_name", lambda name: name),
    "a link is followed": (
        *("collect", walk, "OPENING"),
        archive.OPENING & ~os.O_NOFOLLOW,
    ),
    "a roster's names are kept as ids": ("roster", student_id, "of_name", lambda name: name),
    "a layout's names are kept as ids": ("layouts", student_id, "of_name", lambda name: name),
    "a commit's time has no zone": ("git_clones", git_time, "timezone", lambda _: None),
    "every member of an archive is taken": (
        *("archive", unpack.Collection, "wants"),
        lambda *_: True,
    ),
    "paths in archives stay bytes": ("archive", unpack, "shown", lambda path: path),
    "leaks are lost": ("sanitizers", evidence, "LEAK", b"?"),
    "every line has a location": (
        *("addr2line", addr2line, "_location"),
        lambda text: (text, 1),
    ),
    "a file's name has a zero byte": (
        *("compiler_messages", compiler_messages, "_is_simulators"),
        lambda file: (paths.ROOT / file).resolve().is_relative_to(paths.LABS),
    ),
    "invisible characters are shown": ("plain_text", plain_text, "is_shown", lambda _: True),
    "a table of symbols may end early": (
        *("objects", elf, "_bytes"),
        lambda data, offset, size: data[offset : offset + size] + bytes(24),
    ),
    "a line's number has no bound": (
        *("program_source", own_text, "MARKER"),
        re.compile(own_text.MARKER.pattern.replace(rb"{1,9}", b"+")),
    ),
    "joined lines move what follows": ("source_code", lexer, "bisect_right", lambda *_: 0),
    "a spec is not checked": ("lab_spec", spec, "_refuse", lambda *_: None),
    "no sample is right": ("row_samples", row_samples, "wrong", lambda *_: []),
    "an answer that is no text raises": (
        *("saved_results", protocol, "_decoded"),
        lambda decoder, data: decoder.decode(data),
    ),
}


@pytest.mark.parametrize("why", BROKEN)
def test_broken_reader_is_detected(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, owner, attribute, replacement = BROKEN[why]
    assert not fails(name)
    monkeypatch.setattr(owner, attribute, replacement)
    assert fails(name)
