"""labs/sim/check_layers.py: each kind of arrow that must not be is found, at its line."""

import subprocess
from pathlib import Path

import pytest

from labs.sim import check_layers

# By file: the text of a runtime that keeps the rules.
CLEAN = {f"{layer}/{layer}.c": f"int {layer}(void) {{ return 0; }}\n"
         for layer in check_layers.LAYERS}  # fmt: skip


def runtime(folder: Path, changes: dict[str, str]) -> tuple[Path, Path]:
    """A runtime of these files, as sources and objects."""
    sources, objects = folder / "src", folder / "objects"
    for name, text in (CLEAN | changes).items():
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_text(text)
    for source in sources.glob("*/*.c"):
        target = objects / source.relative_to(sources).with_suffix(".o")
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["gcc", f"-I{sources}", "-c", source, "-o", target], check=True)
    return sources, objects


BREACHES = {
    "a header of a lower layer": (
        {"api/launch.h": "", "exec/block.c": '\n#include "api/launch.h"\n'},
        "exec/block.c:2: exec/ includes a header of api/, a lower layer",
    ),
    "a function of a lower layer": (
        {"exec/block.c": "int trace(void);\nint block(void) { return trace(); }\n"},
        "exec/block.c:1: exec/ uses trace of trace/, a lower layer",
    ),
    "a weak symbol": (
        {"exec/block.c": "__attribute__((weak)) int hook(void);\nint b(void) { return hook(); }\n"},
        "exec/block.c:1: the weak symbol hook",
    ),
    "two files that need each other": (
        {"exec/a.c": "int b(void);\nint a(void) { return b(); }\n",
         "exec/b.c": "int a(void);\nint b(void) { return a(); }\n"},
        "a circle: exec/",
    ),
    "a folder that is no layer": ({"extra/a.c": "int extra;\n"}, "['extra']"),
}  # fmt: skip


@pytest.mark.parametrize("name", BREACHES)
def test_a_breach_is_found(name: str, tmp_path: Path) -> None:
    changes, expected = BREACHES[name]
    sources, objects = runtime(tmp_path, changes)
    (line,) = check_layers.breaches(sources, objects)
    assert expected in line


def test_downward_dependencies_are_allowed(tmp_path: Path) -> None:
    below = '#include "base/base.h"\nint launch(void) { return trace() + base(); }\n'
    changes = {"base/base.h": "int base(void);\n", "api/launch.c": "int trace(void);\n" + below}
    assert check_layers.breaches(*runtime(tmp_path, changes)) == []


def test_missing_objects_fail_the_layer_check(tmp_path: Path) -> None:
    assert check_layers.breaches(tmp_path / "src", tmp_path / "objects")
    sources, objects = runtime(tmp_path, {})
    (objects / "exec" / "exec.o").unlink()
    assert "exec.o" in check_layers.breaches(sources, objects)[0]


def test_other_sources_have_layers_of_their_own(tmp_path: Path) -> None:
    sources, objects = tmp_path / "src", tmp_path / "objects"
    files = {
        "low/a.c": "int a(void) { return 0; }\n",
        "high/b.c": "int a(void);\nint b(void) { return a(); }\n",
        "apart/a.c": "int high_weak(void) __attribute__((weak));\n",
        "beside.h": "int beside;\n",
        "low/c.c": '#include "beside.h"\n',
    }
    runtime(tmp_path, files)
    for layer in check_layers.LAYERS:
        (sources / layer / f"{layer}.c").unlink()
    assert check_layers.breaches(sources, objects, ("low", "high"), ("apart",)) == []
    (line,) = check_layers.breaches(sources, objects, ("high", "low"), ("apart",))
    assert "uses a of low/, a lower layer" in line
