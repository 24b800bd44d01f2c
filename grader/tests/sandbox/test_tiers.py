"""Each sandbox that this machine has, probed through the launcher itself. Skipped where it has
none."""

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

from grader import paths
from grader.classroom.bulk.isolation import probe
from grader.sandbox import choice, landlock, system_files, tiers
from grader.sandbox.launcher import launch
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
from grader.tests import captured
from grader.tests.sandbox.tier import course_of_a_user, each_tier, each_tier_that_reads, using

KINDS = [("refused", 25), ("works", 5), ("stopped", 5)]
TMP = Path("/tmp")


@cache
def probes(number: int) -> list[probe.Probe]:
    with using(number):
        return probe.run_all()


@each_tier_that_reads
@pytest.mark.parametrize("kind, least", KINDS)
def test_every_probe_ends_as_it_must(number: int, kind: str, least: int) -> None:
    results = [p for p in probes(number) if p.expected == kind]
    assert len(results) >= least
    assert not probe.problems(results)


@pytest.mark.slow("every probe runs in every sandbox")
def test_every_probe_ends_as_it_must_for_a_user_who_is_not_root(open_path: Path) -> None:
    """In tier 3, which root does not have, and in tier 1 with a user namespace."""
    code = (
        "import sys\n"
        "from collections import Counter\n"
        "from grader.classroom.bulk.isolation import probe\n"
        "from grader.sandbox import choice, tiers\n"
        "for tier in tiers.ALL:\n"
        "    if tier.missing() or choice._not_working(tier): continue\n"
        "    choice.require(choice.Probed(tier.number, 0, ''))\n"
        "    results = probe.run_all()\n"
        "    assert not probe.problems(results), probe.problems(results)\n"
        "    kinds = Counter(p.expected for p in results)\n"
        f"    assert all(kinds[kind] >= least for kind, least in {KINDS})\n"
        "    print(tier.number)\n"
    )
    with course_of_a_user(open_path / "course") as (python, environment):
        argv = [*python, "-c", code]
        done = captured.run(argv, env=environment, cwd=open_path)
    assert done.returncode == 0, done.stderr
    assert ("3" in done.stdout.split()) == (landlock.abi() > 0)


def test_a_probe_that_failed_is_a_problem() -> None:
    failed = probe.Probe("read another's file", "refused", False, 0.1, "exit status 0")
    assert probe.problems([failed]) == ["read another's file: not refused (exit status 0)"]


@each_tier
def test_a_compiler_in_a_folder_of_its_own_starts(
    number: int, open_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found on PATH through a link, in folders that the sandbox must make for it."""
    tool, link = open_path / "far" / "cuda" / "bin" / "nvdisasm", open_path / "links" / "nvdisasm"
    for path in (tool, link):
        path.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho found\n")
    tool.chmod(0o755)
    link.symlink_to(tool)
    monkeypatch.setenv("PATH", f"{link.parent}{os.pathsep}{os.environ['PATH']}")
    with using(number):
        shown = View((link.parent,))
        assert launch(["sh", "-c", "nvdisasm"], Limits(5), TMP, view=shown).stdout == b"found\n"


@each_tier
def test_probed_file_is_readable_when_in_view(number: int, open_path: Path) -> None:
    """Or a probe would prove nothing."""
    secret = open_path / "secret"
    secret.write_text("x")
    with using(number):
        assert launch(["cat", str(secret)], Limits(5), TMP, view=View()).stdout == b""
        done = launch(["cat", str(secret)], Limits(5), TMP, view=View((secret,)))
        assert done.stdout == b"x"
    assert launch(["cat", str(secret)], Limits(5), TMP).stdout == b"x"


@each_tier
def test_the_environment_has_only_what_was_passed(number: int) -> None:
    with using(number):
        done = launch(["env"], Limits(5), TMP, {"ONE": "1"}, View())
    names = {line.split("=")[0] for line in done.stdout.decode().splitlines()}
    own = {"HOME", "TMPDIR", "LC_ALL", "ONE", "PWD"}
    assert names - set(system_files.KEPT_VARIABLES) <= own | {
        "CONVLABS_GRADER" if number == 3 else "ONE"
    }
    assert "ONE" in names


@each_tier
def test_unmountable_path_is_the_graders_fault(number: int, tmp_path: Path) -> None:
    with using(number), pytest.raises(OSError):
        launch(["true"], Limits(5), TMP, view=View((tmp_path / "missing",)))


@each_tier
@pytest.mark.parametrize("code", [0, 1, 7, 126, 127])
def test_the_exit_status_is_the_commands(number: int, code: int) -> None:
    with using(number):
        done = launch(["sh", "-c", f"exit {code}"], Limits(5), TMP, view=View())
    assert (done.status, done.signal) == (code, None)


@each_tier
def test_forged_sandbox_status_is_ignored(number: int) -> None:
    script = 'echo "{ \\"exit-code\\": 0 }" >&2; echo "bwrap: no" >&2; exit 1'
    with using(number):
        done = launch(["sh", "-c", script], Limits(5), TMP, view=View())
    assert done.status == 1


@each_tier_that_reads
def test_a_compiler_writes_its_folder_and_temporary_files(number: int, open_path: Path) -> None:
    """And nothing is left of the temporary ones."""
    out = open_path / "out"
    out.mkdir()
    with using(number):
        choice.hand_over(out, compiler=True)
        script = (
            f'echo "int main(void) {{ return 0; }}" > $TMPDIR/a.c && gcc $TMPDIR/a.c -o {out}/a'
        )
        view = View(writes=(out,), compiler=True)
        done = launch(["sh", "-c", script], Limits(20), out, view=view)
        assert done.status == 0, done.stderr
        program = View((out / "a",))
        assert launch([str(out / "a")], Limits(5), TMP, view=program).status == 0
        denied = launch(["sh", "-c", f"echo > {out}/b"], Limits(5), TMP, view=View((out,)))
        assert denied.status != 0 and not (out / "b").exists()
    run = paths.BUILD / "run"
    assert not [f for f in run.iterdir() if f.name.startswith(f"{os.getpid()}-")]


@each_tier
def test_a_sanitizer_reads_its_own_process(number: int, open_path: Path) -> None:
    """Long after the start it still opens /proc/self/maps, and LeakSanitizer traces its threads."""
    source = open_path / "leak.c"
    source.write_text("#include <stdlib.h>\nint main(void) { return malloc(8) == 0; }\n")
    program = open_path / "leak"
    argv = ["gcc", "-O0", "-g", "-fsanitize=address", str(source), "-o", str(program)]
    subprocess.run(argv, check=True)
    limits = Limits(20, address_space=None)
    with using(number):
        done = launch([str(program)], limits, TMP, view=View((program,), debugger=True))
    assert done.status == 23 or b"LeakSanitizer: detected memory leaks" in done.stderr


@pytest.mark.needs("root")
@each_tier
def test_a_compiler_is_another_user_than_what_runs_beside_it(number: int) -> None:
    """Or a program that starts as many processes as it may would leave none for the compiler."""
    with using(number):
        users = {
            launch(["id", "-u"], Limits(5), TMP, view=View(compiler=compiler)).stdout
            for compiler in (False, True)
        }
    assert len(users) == 2 and b"0\n" not in users


@pytest.mark.needs("tier 2")
def test_tier_2_drops_all_root_privileges() -> None:
    script = "while read -r line; do echo $line; done < /proc/self/status"
    with using(2):
        status = launch(["sh", "-c", script], Limits(5), TMP, view=View()).stdout.decode()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    assert fields["Groups"].strip() in ("", fields["Gid"].split()[0])
    users = set(fields["Uid"].split())
    assert len(users) == 1 and users == set(fields["Gid"].split()) and "0" not in users
    assert int(fields["CapPrm"], 16) == int(fields["CapEff"], 16) == int(fields["CapAmb"], 16) == 0
    assert fields["NoNewPrivs"].strip() == "1" and fields["Seccomp"].strip() == "2"


def test_each_tier_says_what_it_cannot_stop() -> None:
    assert [tier.number for tier in tiers.ALL] == [1, 2, 3]
    assert [tier.strangers for tier in tiers.ALL] == [True, True, False]
    for tier, stronger in zip(tiers.ALL[1:], tiers.ALL, strict=False):
        assert set(stronger.cannot_stop()) < set(tier.cannot_stop())


@each_tier
def test_a_grader_may_have_more_open_files_than_a_program(number: int) -> None:
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(300)]
    try:
        with using(number):
            assert launch(["true"], Limits(5), TMP, view=View()).status == 0
    finally:
        for descriptor in held:
            os.close(descriptor)
