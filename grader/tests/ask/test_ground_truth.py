"""Keys that count sectors, wavefronts and requests equal what Nsight Compute counted on an H200."""

import csv
import os
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path
from typing import cast

import pytest

from grader import paths
from grader.ask.trace import wavefronts
from grader.execute import accesses, profile, program
from grader.execute.accesses import LANES, SECTOR, WORD, WarpAccess
from grader.execute.step_lines import Space

TRUTH = paths.LABS / "studies" / "nsight"
MOST = 2000  # requests of a kernel, so that the traces of most are complete


def rows(name: str) -> list[dict[str, str]]:
    with (TRUTH / name).open() as file:
        return list(csv.DictReader(file))


def one(space: Space, width: int, lanes: dict[int, int]) -> WarpAccess:
    return WarpAccess(0, 0, "", 1, space, False, width, (0, 0, 0), 0, 0, 0, "", lanes)


def test_every_measured_pattern_gives_its_key() -> None:
    compared: Counter[str] = Counter()
    for row in rows("patterns.csv"):
        space, width = cast(Space, row["space"].split()[0]), int(row["width"])
        offsets = [int(text) for text in row["lane_byte_offsets"].split()]
        assert len(offsets) == LANES
        access = one(space, width, {lane: at for lane, at in enumerate(offsets) if at >= 0})
        if space == "global":
            assert len(access.units(SECTOR)) == int(row["sectors"]), row
        elif width <= WORD:  # of wider ones no question asks
            assert wavefronts(access) == int(row["wavefronts"]), row
        else:
            continue
        compared[space] += 1
    assert compared["global"] >= 40 and compared["shared"] >= 30, compared


def traced(name: str, folder: Path) -> tuple[list[profile.Launch], list[WarpAccess]]:
    """A run of the kernels with few requests."""
    small = {
        row["kernel"]
        for row in rows(f"{name}.csv")
        if sum(int(row[key]) for key in row if key.endswith("requests")) <= MOST
    }
    text = (TRUTH / f"{name}.cu").read_text()
    launches = re.compile(r"RUN\((\w+)[^;]*;")
    kept = launches.sub(lambda m: m[0] if m[1] in small else "(void)0;", text)
    (folder / "host.h").write_bytes((TRUTH / "host.h").read_bytes())
    (folder / f"{name}.cu").write_text(kept)
    binary = program.build([str(folder / f"{name}.cu")], profiled=True).binary
    files = {n: folder / n for n in ("PROFILE", "STEPS_FILE", "FINDINGS")}
    variables = {f"CONVLABS_SIM_{n}": str(file) for n, file in files.items()}
    variables |= {f"CONVLABS_SIM_{n}": "1" for n in ("THREADS", "CHECK")}
    variables |= {"CONVLABS_SIM_STEPS": "all"}
    for file in files.values():
        file.touch()
    subprocess.run([binary], env=os.environ | variables, check=True, capture_output=True)
    raw = files["STEPS_FILE"].read_bytes()
    return profile.read_launches(files["PROFILE"].read_bytes()), accesses.of_warps(binary, raw)


@pytest.mark.slow("compiles and traces the kernels that were measured")
@pytest.mark.parametrize(("name", "fewest"), [("kernels", 20), ("kernels2", 60)])
def test_the_keys_of_a_launch_sum_up_to_its_counters(
    name: str, fewest: int, tmp_path: Path
) -> None:
    launches, found = traced(name, tmp_path)
    differences = tomllib.loads((TRUTH / "differences.toml").read_text())["difference"]
    other = {(d["kernel"], counter) for d in differences for counter in d["counters"]}
    measured = {row["kernel"]: row for row in rows(f"{name}.csv")}
    equal = 0
    for launch in launches:
        kernel = launch.name.split("<")[0].split("::")[-1].strip()
        mine = [a for a in found if a.launch == launch.launch]
        if sum(site.requests for site in launch.sites if not site.atomic) != len(mine):
            continue  # the trace was full before
        for space, unit in (("global", "sectors"), ("shared", "wavefronts")):
            for store in (False, True):
                group = [a for a in mine if (a.space, a.store) == (space, store)]
                if any(a.width > WORD for a in group) and space == "shared":
                    continue
                keys = {"requests": len(group), unit: sum(map(key, group))}
                for counter, sum_of_keys in keys.items():
                    column = f"{space}_{'store' if store else 'load'}_{counter}"
                    if (kernel, column) not in other and sum_of_keys:
                        assert sum_of_keys == int(measured[kernel][column]), (kernel, column)
                        equal += 1
    assert equal >= fewest, (equal, name)


def key(access: WarpAccess) -> int:
    return wavefronts(access) if access.space == "shared" else len(access.units(SECTOR))
