"""The records that real runs write are what the published schema says."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import jsonschema
import pytest

from grader import paths
from grader.execute.program import build
from grader.schema import write

SCHEMA = json.loads((write.FOLDER / write.file_of("convlabs-finding/v1")).read_text())
pytestmark = pytest.mark.apart
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
BUGS = paths.ROOT / "labs" / "studies" / "checks" / "bugs"
SUITES = (
    *("api/test_memory", "api/test_launch", "api/test_device", "api/test_managed"),
    *("exec/test_warp", "exec/test_waits", "exec/test_shared", "exec/test_device_functions"),
    *("exec/test_cooperative", "queue/test_queue", "queue/test_overlap", "graph/test_graph"),
    *("graph/test_memory_nodes", "memory/test_lazy", "texture/test_surface"),
    "texture/test_texture",
)


def valid(lines: bytes) -> Counter[tuple[str, str]]:
    """How many records there are of each kind and case, all of which must be valid."""
    found: Counter[tuple[str, str]] = Counter()
    for line in lines.splitlines():
        record = json.loads(line)
        VALIDATOR.validate(record)
        found[record["kind"], record.get("case", "")] += 1
    return found


def test_a_record_with_another_member_or_word_is_not_valid() -> None:
    VALIDATOR.validate({"kind": "leak", "case": "event"})
    for broken in (
        {"kind": "leak", "message": "m"},
        {"kind": "leak", "verb": "reads"},
        {"case": ""},
    ):
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(broken)


@pytest.mark.slow("the simulator's unit tests run")
def test_records_of_the_unit_tests(tmp_path: Path) -> None:
    kept = tmp_path / "records"
    targets = [f"run-plain/sim/{suite}" for suite in SUITES]
    command = ["make", "-j2", f"PYTHON={sys.executable}", f"BUILD={tmp_path}", *targets]
    settings = os.environ | {"CONVLABS_KEPT_FINDINGS": str(kept)}
    subprocess.run(command, check=True, cwd=paths.ROOT, env=settings, capture_output=True)
    found = valid(kept.read_bytes())
    assert len(found) > 50, sorted(found)


@pytest.mark.slow("programs are built and run")
@pytest.mark.parametrize("source", sorted(BUGS.glob("*.cu")), ids=lambda p: p.stem)
def test_records_of_planted_bugs(source: Path, tmp_path: Path) -> None:
    binary = build([str(source)], profiled=True).binary
    report = tmp_path / "findings.jsonl"
    settings = {"CONVLABS_SIM_CHECK": "1", "CONVLABS_SIM_FINDINGS": str(report)}
    names = [w.split(")")[0] for w in source.read_text().split("\nPROGRAM(")[1:]]
    for name in names:
        subprocess.run(
            [binary, name], env=os.environ | settings, capture_output=True, check=False, timeout=60
        )
    assert valid(report.read_bytes())
