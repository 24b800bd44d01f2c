"""What an editor is told of a lab's files, and of a grade's lines."""

import json
import re
from pathlib import Path

import pytest

from grader import paths
from grader.compile import editor
from grader.model import outline, spec
from grader.tests import captured

ENTRIES = [entry for lab in map(spec.load, outline.available()) for entry in editor._entries(lab)]


def clang(entry: dict[str, object], folder: Path, text: str) -> str:
    """What clang says of another text in place of the entry's file."""
    file = folder / Path(str(entry["file"])).name
    file.write_text(text)
    arguments = [str(a) for a in entry["arguments"]][:-2]  # type: ignore[attr-defined]
    return captured.run([*arguments, "-fsyntax-only", str(file)], cwd=paths.ROOT).stderr


def text_of(entry: dict[str, object]) -> str:
    return (paths.ROOT / str(entry["file"])).read_text()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_clang_finds_no_error_in_what_is_right(entry: dict[str, object], tmp_path: Path) -> None:
    assert "error:" not in clang(entry, tmp_path, text_of(entry))


KERNEL = """#include <cooperative_groups.h>
extern __shared__ float s_all[];
template <int N> __global__ __launch_bounds__(256) void k(const float *in, float *out, int n) {
    __shared__ float tile[N][33];
    cooperative_groups::this_thread_block().sync();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[0][i % 33] = sqrtf(in[i]) + __fmul_rn(in[i], 2.0f) + max(i, 3) + fminf(in[i], s_all[0]);
    __syncthreads();
    atomicAdd(out, __shfl_down_sync(0xffffffffu, tile[0][i % 32], 1));
    if (i < n) printf("%d", i);
}
void launch(float *d) { k<3><<<dim3(2), 128, 512>>>(d, d, 9); cudaDeviceSynchronize(); }
"""


def test_cuda_is_known_and_a_mistake_is_not_hidden(tmp_path: Path) -> None:
    entry = next(e for e in ENTRIES if str(e["file"]).endswith(".cu"))
    assert "error:" not in clang(entry, tmp_path, KERNEL)
    said = clang(entry, tmp_path, KERNEL.replace("__syncthreads()", "__synchtreads()"))
    assert "error: use of undeclared identifier '__synchtreads'" in said


def test_a_folder_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("grader.files.replace", refuse)
    monkeypatch.setattr(editor, "COMMANDS", str(tmp_path / "none.json"))
    editor.write()
    assert not (tmp_path / "none.json").exists()


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("        constant_mask.cu:53: write `a` in place of `b`", ("constant_mask.cu", "53")),
        ("        global_memory.cu:71:9: error: expected ';'", ("global_memory.cu", "71")),
        ("        data race at shared_tile.cu:120: thread 3", ("shared_tile.cu", "120")),
        ("  FAIL  A  identity 3x3 on a ramp 64x48        0/2", None),
    ],
)
def test_a_place_in_a_grade_is_a_click(line: str, place: tuple[str, str] | None) -> None:
    text = (paths.ROOT / ".vscode/tasks.json").read_text()
    (task,) = json.loads(re.sub(r"^//.*\n", "", text))["tasks"]
    found = re.match(task["problemMatcher"]["pattern"]["regexp"], line)
    assert (found and found.groups()[:2]) == place
