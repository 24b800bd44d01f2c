"""Recordings of blocks: their values are what the program computed, each error is found in them
with its threads, and their counters are the profile's."""

import copy
import json
import random
import struct
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import numpy as np
import pytest

from grader.execute import step_focus, steps
from grader.execute.step_lines import Access, Barrier, Operation
from grader.execute.steps import Recording
from grader.model import counters
from grader.model.counters import Counters
from grader.schema import write
from grader.tests.execute import stepped
from grader.tests.execute.stepped import APART, EVERYTHING, OUTSIDE, RACE, line_of

pytestmark = pytest.mark.apart


def accesses(recording: Recording, text: str, way: str) -> list[Access]:
    """Those of the line that holds the text."""
    return [
        s
        for s in recording.steps
        if isinstance(s, Access) and (recording.place(s)[1], s.way) == (line_of(text), way)
    ]


def floats(wanted: Access) -> dict[int, float]:
    values = wanted.loaded_or_stored().items()
    return {lane: struct.unpack("<f", value)[0] for lane, value in values}


def test_loads_stores_and_branches() -> None:
    recording = stepped.recording(EVERYTHING)
    load = accesses(recording, "= d_in[y * SIDE + x]", "load")[1]  # warp 1
    assert load.addresses() == {x: 4 * (32 + x) for x in range(32)}
    assert floats(load) == {x: 32.0 + x for x in range(32)}
    assert load.costs[0] == 4
    even = accesses(recording, "+= c_factor[0]", "store")[0]
    assert even.lanes == 0x55555555
    assert floats(even) == {x: x + 5.0 for x in range(0, 32, 2)}
    assert even.apart == [0, 0xAAAAAAAA]  # straight code has no marks
    last = accesses(recording, "sum += d_in[i * i]", "load")[2]
    assert last.lanes == 0x88888888
    construct, absent = last.apart
    assert absent == 0x77777777
    assert recording.constructs[construct][1] == line_of("i < x % 4")
    constant = accesses(recording, "+= c_factor[0]", "load")
    assert {recording.objects[step.object].name for step in constant} == {"c_factor"}


def test_barriers_warp_functions_and_atomics() -> None:
    recording = stepped.recording(EVERYTHING)
    barriers = [s for s in recording.steps if isinstance(s, Barrier)]
    assert [b.lanes for b in barriers] == [[0xFFFFFFFF] * 4]
    shuffles = [s for s in recording.steps if isinstance(s, Operation) and s.warp == 2]
    assert [s.name for s in shuffles] == ["shuffle"] * 5
    assert shuffles[0].sources == [*range(16, 32), *range(16, 32)]
    assert shuffles[0].results == [shuffles[0].inputs[i] for i in shuffles[0].sources]
    atomics = [s for s in recording.steps if isinstance(s, Access) and s.way == "atomic"]
    assert [s.warp for s in atomics] == [0, 1, 2, 3]
    assert set(atomics[0].addresses().values()) == {4000}
    stored = accesses(recording, "d_out[x * SIDE + y] = sum", "store")[0]
    values = [5.0 + x if x % 2 == 0 else x - 1.0 for x in range(32)]
    assert floats(stored)[0] == sum(values)


def test_errors_are_found_with_their_threads() -> None:
    recording = stepped.recording(RACE)
    focus = recording.focus
    assert focus and focus.other >= 0 and "data race" in focus.words[0]
    one, other = recording.steps[focus.step], recording.steps[focus.other]
    assert isinstance(one, Access) and isinstance(other, Access)
    assert {one.way, other.way} == {"load", "store"} and one.object == other.object
    lane, other_lane = focus.lanes.bit_length() - 1, focus.other_lanes.bit_length() - 1
    assert (focus.lanes, focus.other_lanes) == (1 << lane, 1 << other_lane)
    assert one.addresses()[lane] == other.addresses()[other_lane]
    recording = stepped.recording(OUTSIDE)
    assert recording.head.index == (1, 0, 0) and recording.focus
    fault = recording.steps[recording.focus.step]
    assert isinstance(fault, Access) and fault.way == "fault" and fault.values == ""
    assert fault.addresses() == {5: 4 << 20} and recording.focus.lanes == 1 << 5
    recording = stepped.recording(APART)
    assert recording.focus
    barrier = recording.steps[recording.focus.step]
    assert isinstance(barrier, Barrier) and barrier.lanes in ([0x55555555], [0xAAAAAAAA])


def test_oversized_recording_is_truncated_with_a_note() -> None:
    whole = stepped.recording(EVERYTHING)
    size = len(whole.packed())
    for most, said in ((size // 2, "of 4 warps this page has"), (size // 6, "the page ends after")):
        recording = copy.deepcopy(stepped.raw(EVERYTHING))
        steps.complete(recording, [3], most)
        assert said in recording.cut and len(recording.packed()) <= most + 100  # of these words
        kept = {s.warp for s in recording.steps if not isinstance(s, Barrier)}
        assert 3 in kept and kept < {0, 1, 2, 3}
        of_them = [s for s in whole.steps if isinstance(s, Barrier) or s.warp in kept]
        assert recording.steps == of_them[: len(recording.steps)]
        assert len(recording.counted) == len(recording.steps)
    assert whole.cut == ""


def test_the_schema_describes_it() -> None:
    document: Any = json.loads(msgspec.json.encode(stepped.recording(EVERYTHING)))
    schema = json.loads((write.FOLDER / write.file_of("convlabs-step/v1")).read_text())
    jsonschema.validate(document, schema)
    document["steps"][0][1] = "warp"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_malformed_recordings_are_rejected() -> None:
    block, left_out = b'["block",0,"k",[1,1,1],[1,1,1],[0,0,0]]\n', b'["left_out",7]\n'
    for raw in (b"", b"\xff\n", b"[]\n", b'["block",0]\n', b'["access"]\n', left_out):
        assert steps.read(raw, Path("none")) is None
        found = steps.read(block + raw + left_out, Path("none"))
        assert found and found.steps == [] and "7 more do not fit" in found.cut


def test_pixels_through_shared_memory() -> None:
    """The last step of thread (1, 0) of the race: it read the pixel of its neighbour."""
    recording = stepped.raw(RACE)
    image = np.zeros((32, 32), np.float32)
    found = step_focus.store_of(recording, 4096, 4)
    assert found and found[1] == 1
    taps, other, stores = step_focus.pixels_read(recording, *found, image)
    assert (list(taps), other, stores) == ([(2, 0)], 0, 1)
    wanted = step_focus.window(image.shape, (1, 0), 1, "zero")
    assert len(wanted) == 6
    marks = {
        (t.dx, t.dy): (t.step >= 0, t.wanted)
        for t in step_focus.taps_of(taps, wanted, (1, 0), False)
    }
    assert marks[1, 0] == (True, True) and marks[-1, 1] == (False, True)


# ---- whole labs


def of_accesses(counted: Counters) -> Counters:
    """Without what warp functions count, too: a recording of all blocks has accesses alone."""
    return msgspec.structs.replace(counted, receiving_threads=0, exchanges=0)


@pytest.mark.slow("builds the instrumented program of a lab")
@pytest.mark.parametrize("which", [*stepped.WITH_KERNELS, *stepped.KNOWN_SUBMISSIONS])
def test_the_steps_of_all_blocks_add_up_to_the_profile(which: str, tmp_path: Path) -> None:
    """And those of one that is recorded with its values, as a page has it, to the block's."""
    for run in stepped.profiled(which, tmp_path):
        blocks = run.blocks()
        for kernel in run.kernels:
            total = Counters()
            for (launch, _), counted in blocks.items():
                if launch == kernel.launch:
                    counters.accumulate(total, counted)
            assert total == of_accesses(kernel.counters)
        chosen = random.Random(which).choice([*blocks])
        recording = run.recording(*chosen)
        assert steps.counted(recording.steps) == blocks[chosen]
