"""The channel of evidence: what is authentic is read, and nothing else is."""

import hashlib
import os
import random
import resource
import subprocess
from pathlib import Path

import msgspec
import pytest

from grader import paths
from grader.execute import case, evidence, free_space
from grader.execute.evidence import Evidence, Recorder
from grader.execute.finding_lines import findings_in
from grader.model.finding import Finding
from grader.sandbox.ending import Finished
from grader.sandbox.limits import Limits
from grader.tests import captured

# What a part of the runtime does: reports, and ends.
PROGRAM = r"""
#include "evidence/evidence.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
static void leaks(void) { evidence_write(EVIDENCE_FINDING, "last\n", 5); }
static void *many(void *text) {
    for (int i = 0; i < 200; i++) evidence_write(EVIDENCE_FINDING, text, strlen(text));
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t thread[4];
    evidence_at_end(leaks);
    BODY
    evidence_end();
    return 7;
}
"""


def run(
    body: str, folder: Path, **environment: str
) -> tuple[subprocess.CompletedProcess[str], Evidence]:
    source, program = folder / "a.c", folder / "a"
    source.write_text(PROGRAM.replace("BODY", body))
    library = paths.BUILD / "lib/plain/libruntime.a"
    command = ["gcc", "-Ilabs/sim/src", str(source), str(library), "-pthread", "-o", str(program)]
    subprocess.run(command, check=True, cwd=paths.ROOT)
    with evidence.recorder() as recorder:
        done = captured.run(
            [program], env=recorder.environment() | environment, pass_fds=(recorder.descriptor,)
        )
        return done, recorder.read()


def test_frames_come_in_order_and_the_end_is_last(tmp_path: Path) -> None:
    done, reported = run('evidence_write(EVIDENCE_STATUS, "{}", 2);', tmp_path)
    assert done.returncode == 0
    kinds = [kind for kind, _ in reported.frames]
    assert kinds == [evidence.BEGIN, evidence.STATUS, evidence.FINDING, evidence.END]
    assert reported.is_complete() and reported.last(evidence.STATUS) == b"{}"
    assert reported.lines(evidence.FINDING) == b"last\n"


def test_threads_do_not_mix_their_frames(tmp_path: Path) -> None:
    body = """
    for (int i = 0; i < 4; i++) pthread_create(&thread[i], NULL, many, "abcdefgh\\n");
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    """
    _, reported = run(body, tmp_path)
    assert reported.is_complete()
    assert reported.lines(evidence.FINDING) == b"abcdefgh\n" * 800 + b"last\n"


def test_a_student_finds_no_environment(tmp_path: Path) -> None:
    body = """
    puts(environ[0] ? environ[0] : "empty");
    puts(getenv("SECRET") ? "found" : "none");
    """
    done, reported = run(body, tmp_path, SECRET="1")
    assert done.stdout.splitlines() == ["empty", "none"] and reported.is_complete()


def test_the_key_is_gone_from_the_file(tmp_path: Path) -> None:
    """Before main(), as before all code of a submission."""
    made = Recorder()
    program = tmp_path / "a"
    run("", tmp_path)
    subprocess.run([program], env=made.environment(), pass_fds=(made.descriptor,), check=True)
    assert os.pread(made.descriptor, evidence.KEY, 0) == bytes(evidence.KEY)
    assert made.read().is_complete()
    os.close(made.descriptor)


def test_a_run_that_ends_early_is_not_complete(tmp_path: Path) -> None:
    for body in (
        "exit(0);",
        "_exit(0);",
        "abort();",
        "evidence_write(EVIDENCE_CALL, 0, 0); exit(2);",
    ):
        _, reported = run(body, tmp_path)
        assert reported.has_begun() and not reported.is_complete()
        assert reported.our_fault(lambda: True) is None


def test_oversized_frame_ends_the_evidence(tmp_path: Path) -> None:
    body = "char *big = calloc(1, 5 << 20); evidence_write(EVIDENCE_PROFILE, big, 5 << 20);"
    _, reported = run(body, tmp_path)
    assert reported.frames == [(evidence.BEGIN, b"")] and not reported.is_complete()


def test_without_the_variable_nothing_happens(tmp_path: Path) -> None:
    run("", tmp_path)
    done = subprocess.run([tmp_path / "a"], env={}, check=False)
    assert done.returncode == 7


def frame(key: bytes, kind: bytes, number: int, text: bytes) -> bytes:
    """As labs/sim/src/evidence/evidence.c writes it."""
    head = evidence.HEADER.pack(kind, number, len(text)) + text
    return head + hashlib.blake2s(head, key=key, digest_size=evidence.CODE).digest()


KEY = bytes(range(32))
WHOLE = [(evidence.BEGIN, b""), (evidence.CALL, b""), (evidence.STATUS, b"{}"), (evidence.END, b"")]
FRAMES = [frame(KEY, kind, i, text) for i, (kind, text) in enumerate(WHOLE)]


def test_hand_written_frames_are_parsed() -> None:
    assert evidence.parse(b"".join(FRAMES), KEY).is_complete()


@pytest.mark.parametrize(
    "raw",
    [
        b"".join(FRAMES) + FRAMES[-1],  # the end twice
        b"".join(FRAMES[:-1]),  # no end
        b"".join(FRAMES[1:]),  # no beginning
        b"".join(FRAMES[:2] + FRAMES[3:]),  # one missing
        b"".join([*FRAMES[:3], FRAMES[2], FRAMES[3]]),  # one repeated
        b"".join(FRAMES[:3]) + frame(bytes(32), evidence.END, 3, b""),  # another key
        b"".join(FRAMES)[:-1],
        b"".join(FRAMES) + b"\0",
        b"".join([*FRAMES[:3], frame(KEY, b"Z", 3, b""), frame(KEY, evidence.END, 4, b"")]),
        b"",
        bytes(1000),
        evidence.HEADER.pack(evidence.BEGIN, 0, 0xFFFFFFFF) + bytes(100),
    ],
)
def test_missing_extra_or_forged_frames_are_incomplete(raw: bytes) -> None:
    assert not evidence.parse(raw, KEY).is_complete()


def test_one_flipped_bit_is_detected() -> None:
    whole, chance = b"".join(FRAMES), random.Random(1)
    for at in range(len(whole)):
        wrong = bytearray(whole)
        wrong[at] ^= 1 << chance.randrange(8)
        assert not evidence.parse(bytes(wrong), KEY).is_complete()


@pytest.mark.parametrize(
    ("frames", "ours"),
    [
        ([], True),  # it did not even start
        ([(evidence.BEGIN, b"")], False),
        ([(evidence.BEGIN, b""), (evidence.FAULT, b"no input")], True),
        ([(evidence.BEGIN, b""), (evidence.CALL, b""), (evidence.FAULT, b"no memory")], False),
        ([(evidence.BEGIN, b""), (evidence.DISK, b"disk full")], True),
        (WHOLE, False),
    ],
)
def test_disk_errors_are_the_machines_fault(frames: list[tuple[bytes, bytes]], ours: bool) -> None:
    assert (Evidence(frames).our_fault(lambda: False) is not None) == ours


def test_a_full_disk_after_the_call_is_believed_where_the_grader_sees_it() -> None:
    reported = Evidence([*WHOLE[:2], (evidence.DISK, b"no space left")])
    assert reported.our_fault(lambda: True) == "no space left"
    assert reported.our_fault(lambda: False) is None
    assert reported.students_fault() == "no space left" and reported.claims_full_disk()
    assert Evidence([*WHOLE[:2], (evidence.FAULT, b"no memory")]).our_fault(lambda: True) is None


def test_a_run_whose_evidence_is_overwritten_did_start() -> None:
    assert evidence.parse(b"\0" + b"".join(FRAMES)[1:], KEY).our_fault(lambda: True) is None


def test_evidence_cannot_be_cut_off() -> None:
    with evidence.recorder() as made, pytest.raises(OSError, match="not permitted"):
        os.truncate(made.descriptor, 0)
    with evidence.recorder() as made:  # but it grows
        assert os.pwrite(made.descriptor, b"more", evidence.KEY) == 4


def test_full_folder_is_detected(tmp_path: Path) -> None:
    assert not free_space.is_full(tmp_path, 3 * free_space.PIECE + 1)
    assert free_space.is_full(tmp_path / "none", 1)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (free_space.PIECE, limits[1]))
        assert free_space.is_full(tmp_path, free_space.PIECE + 1) and not free_space.is_full(
            tmp_path, free_space.PIECE
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_findings_of_many_threads_are_merged_by_line() -> None:
    def fault(line: int, *thread: int, case: str = "fault-never-set", at: int = 0) -> bytes:
        block, who = [0, 0, 0], list(thread)
        found = Finding("out-of-bounds", case, kernel="k", file="a.cu", line=line, address=at)
        return msgspec.json.encode(msgspec.structs.replace(found, block=block, thread=who))

    lines = [fault(5, 0, 0, 0), fault(5, 7, 0, 1), fault(6, 0, 0, 0), fault(0, 1, 0, 0)]
    lines += [fault(0, 2, 0, 0), fault(5, 0, 0, 0, case="fault-no-allocation", at=16)]
    found = findings_in(b"\n".join(lines), Path("/bin/true"))
    assert [(f.line, f.count) for f in found] == [(5, 2), (6, 1), (0, 1), (0, 1), (5, 1)]


def test_program_that_a_finding_has_stopped_is_not_told_of_exit() -> None:
    """Who calls exit(3) is, and who calls another."""
    found = Evidence([(evidence.CALL, b""), (evidence.FINDING, b"{}\n")])
    for status, reported, said in (
        (3, found, "was stopped before your function returned"),
        (3, Evidence([(evidence.CALL, b"")]), "never call exit()"),
        (4, found, "never call exit()"),
    ):
        assert said in case.without_result(Finished(Limits(1), status, None, None, 1.0), reported)
