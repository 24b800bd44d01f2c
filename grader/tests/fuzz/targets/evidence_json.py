"""The JSON inside frames of evidence, and in the files of a user's own program: each reader.

The first byte chooses the reader, the rest is what it reads.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import msgspec

from grader.contract import play
from grader.execute import (
    accesses,
    case,
    evidence,
    finding_lines,
    instructions,
    openmp_team,
    profile,
    records,
    steps,
)
from grader.execute.evidence import Evidence
from grader.model import counters
from grader.sandbox import launcher
from grader.student import grade_log, log_table

BINARY = Path("no-program")  # no source line is known
SITE = (
    b'{"pc":4198400,"space":"global","store":false,"width":4,"requests":8,"lanes":256,"sectors":32,'
    b'"fresh":32,"wavefronts":0,"ideal":0,"words":0}'
)
LAUNCH = (
    b'{"launch":0,"name":"ns::k<int>","file":"a.cu","line":3,"grid":[2,1,1],"block":[32,4,1],'
    b'"shared":0,"blocks":2,"counted":2,"complete":true,"sites":[' + SITE + b"]}\n"
)


RECORDED = (
    b'["block",0,"k<int>",[2,1,1],[64,1,1],[1,0,0]]\n["object",0,"shared",256,128,"s","a.cu",3]\n'
    b'["construct",1,4096]\n["access",1,4098,"store","shared",4,7,0,[4,4,3],"0000803f",[1,248],'
    b'[0,0,0,1,1,0]]\n["barrier","a.cu",5,[4294967295,7]]\n["warp",0,"a.cu",6,"shuffle",3,[1,0],'
    b'["a","b"],["b","a"]]\n["stored",0,[1,0,0],33]\n["left_out",9]\n'
)


def seeds() -> Iterator[bytes]:
    yield b"\0" + b'{"completed":true,"returned":0,"error":"","outputs":[{"name":"out"}]}'
    yield b"\0" + b'{"completed":true,"returned":1,"error":"x","seen_by_host":12}'
    yield (
        b"\1" + b'{"kind":"read-race","message":"m","file":"a.cu","line":1,"block":[0,0],"pc":0}\n'
    )
    yield (
        b"\1" + b'{"kind":"aborted","message":"m"}\n{"kind":"async-race","message":"","kernel":"k"}'
    )
    yield b"\1" + b'{"kind":"a","message":"m","pc":-1}\n'
    yield b"\2" + LAUNCH * 2 + LAUNCH[:40]
    yield b"\2" + LAUNCH.replace(b"global", b"shared").replace(b"32", b"0")
    yield b"\2" + LAUNCH.replace(b"global", b"constant").replace(b"4198400", b"0")
    yield b"\2" + LAUNCH.replace(b"global", b"constant").replace(
        b'words":0', b'words":1' + b"0" * 400
    )
    yield b"\3" + RECORDED
    yield b"\3" + RECORDED.replace(b"shared", b"global").replace(b"[4,4,3]", b"[-4,64,2,8,0,1]")
    yield b"\4" + b'{"largest":4,"written":[100,100,2,100]}'
    site = b'{"pc":4096,"executed":9}'
    yield b"\5" + b'{"stepped":90,"gave_up":false,"sites":[' + site + b"]}"
    yield b"\6" + b'{"step":0,"returned":0,"error":"","guards":"intact","changed":"","left":""}'
    yield b"\7" + b'{"pc":9,"thread":1,"store":false,"width":8,"at":4096}\n'
    yield b"\x08" + b'{"number":1,"when":"x","previous":"","lab":"lab1"}\n\0{"count":1,"hash":""}'
    yield (
        b"\x08"
        + b'{"number":1,"when":"x","previous":"","lab":"lab1","tool":"hint","about":"\\n"}\n\0'
    )
    for reader in range(9):
        yield bytes([reader]) + b'{"a":' + b"[" * 3000
        yield bytes([reader]) + b'{"kind":"\xed\xa0\x80","message":"\xff"}'
        yield bytes([reader]) + b'{"largest":' + b"9" * 400 + b',"written":[' + b"9" * 400 + b"]}"


def read_status(text: bytes) -> None:
    reported = Evidence([(evidence.STATUS, text)])
    status = records.readable(reported.last(evidence.STATUS), case.Status)
    assert status is None or isinstance(status.completed, bool)


def read_findings(text: bytes) -> None:
    found = finding_lines.findings_in(text, BINARY)
    assert len(found) <= finding_lines.MAX_FINDINGS
    for finding in found:
        shown = finding.render()
        assert len(shown) <= 400 and (shown.isprintable() or not shown)
    msgspec.json.encode(found)


def read_profile(text: bytes) -> None:
    launches = profile.read_launches(text, strict=False)
    with contextlib.suppress(msgspec.DecodeError):
        assert profile.read_launches(text) == launches or not text.endswith(b"\n")
    counted = profile.profile(BINARY, launches, [])
    for kernel in counted.kernels:
        assert 0 <= kernel.occupancy_bound <= 1
    assert msgspec.json.decode(msgspec.json.encode(counted), type=profile.Profile) == counted


def read_recorded(text: bytes) -> None:
    for access in accesses.of_warps(BINARY, text):
        assert 1 <= len(access.lanes) <= accesses.LANES and access.units(32) and access.ideal()
    if recording := steps.read(text, BINARY):
        steps.complete(recording)
        assert recording.steps or not steps.counted(recording.steps).global_load_requests
        document = msgspec.json.encode(recording)
        assert msgspec.json.decode(document, type=steps.Recording).steps == recording.steps


def read_team(text: bytes) -> None:
    team = records.readable(text, openmp_team.Team)
    assert team is None or 0 <= team.working() <= len(team.written)


def read_instructions(text: bytes) -> None:
    record = instructions.read_instructions(text)
    if record is None:
        return
    assert record.stepped > 0
    for counter in counters.INSTRUCTIONS:
        value = instructions.counted(record, counter, BINARY)
        assert value is None or value.executed >= value.at_location >= 0


def read_steps(text: bytes) -> None:
    statuses = play._statuses(text.splitlines())
    assert len(statuses) <= len(text.splitlines())


def read_accesses(text: bytes) -> None:
    for one in accesses.of_threads(BINARY, text):
        assert one.width >= 1 and one.at >= 0


def read_log(text: bytes) -> None:
    log, _, head = text.partition(b"\0")
    found = grade_log.checked("lab1", log, head)
    shown = log_table.table(found, 80)
    assert all(line.isprintable() for line in shown.splitlines())
    assert found.problems or not (found.entries or found.calls), "nobody guesses a hash"


READERS = (
    read_status,
    read_findings,
    read_profile,
    read_recorded,
    read_team,
    read_instructions,
    read_steps,
    read_accesses,
    read_log,
)


def no_addr2line(_argv: list[str], *_: object, **__: object) -> None:
    """In place of a launch: an option where addr2line expects an address is an error."""
    assert not any(a.startswith("-") for a in _argv[5:] if _argv[0] == "addr2line"), _argv
    raise FileNotFoundError


def check(data: bytes) -> None:
    with mock.patch.object(launcher, "launch", no_addr2line):
        READERS[data[0] % len(READERS) if data else 0](data[1:])
