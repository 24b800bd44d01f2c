"""Fuzzes one target with atheris; the other arguments are libFuzzer's. Runs in build/fuzz-venv.

python grader/tests/fuzz/fuzz_one.py TARGET [-OPTION=VALUE]... [CORPUS]...
"""

import importlib
import shlex
import sys
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
# What parses: our own code, and the standard library's readers of archives and TOML.
INSTRUMENTED = ["grader", "zipfile", "tarfile", "gzip", "bz2", "lzma", "tomllib", "json"]
JSON = ("evidence_json", "saved_results")  # after a byte that chooses the reader


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """Every second change keeps JSON whole."""
    from grader.tests.fuzz import json_mutator

    changed = json_mutator.mutate(data[1:], seed) if seed % 2 else None
    if changed is None or len(changed) >= most:
        mutated: bytes = atheris.Mutate(data, most)
        return mutated
    return data[:1] + changed


if __name__ == "__main__":
    name = sys.argv.pop(1)
    # libFuzzer calls the program again to merge, by a shell and this name.
    sys.argv[0] = shlex.join([sys.executable, __file__, name])
    with atheris.instrument_imports(include=INSTRUMENTED, enable_loader_override=False):
        target = importlib.import_module(f"grader.tests.fuzz.targets.{name}")
    options = {"custom_mutator": mutate} if name in JSON else {}
    atheris.Setup(sys.argv, target.check, **options)
    atheris.Fuzz()
