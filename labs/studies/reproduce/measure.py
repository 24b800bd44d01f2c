"""Runs every experiment that this machine can, and writes a convlabs-reproduce/v1 document.

    python -m labs.studies.reproduce.measure [--gpu | --no-gpu] [--fresh] [--out FILE.json]

--gpu fails if no GPU can be used, --no-gpu does not use it; with neither, a GPU is used if there is
one. Measurements are kept in build/reproduce/measured/ and used again as long as the programs, the
machine and the experiment are the same; --fresh measures again. Needs gcc, make, NumPy, SciPy and
Pillow, nvcc if there is a GPU, and no network once build/datasets/coffee.png exists.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PIL import Image

from datasets.missing import DatasetMissing
from labs.studies.bench import machine, sides
from labs.studies.bench.device import DeviceError
from labs.studies.reproduce import experiments, programs

PICTURES = programs.FOLDER / "results"
FORMAT = "convlabs-reproduce/v1"
PROBLEMS = (
    programs.ProgramError,
    sides.BuildError,
    sides.CallError,
    DeviceError,
    DatasetMissing,
)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _key(source: str, this: dict[str, Any], gpu: dict[str, str] | None) -> str:
    """A hash of what a cached measurement depends on: the programs, the machine, the experiment."""
    built = [
        programs.build(backend, *name.split("/"))
        for backend, names in experiments.EXPERIMENTS[source][1].items()
        if backend in (("cpu", "gpu") if gpu else ("cpu", "sim"))
        for name in names.split()
    ]
    ours = [Path(__file__).with_name(f"{name}.py") for name in ("experiments", "programs")]
    parts = [[str(path) for path in built], programs.digest([*ours, *built]), this, gpu]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _kept(path: Path, key: str) -> dict[str, Any] | None:
    """The experiment in a file, None if there is none or it was kept under another key."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    experiment = document["experiment"] if document.get("key") == key else None
    return experiment if isinstance(experiment, dict) else None


def experiment(
    source: str, this: dict[str, Any], gpu: dict[str, str] | None, no_gpu: str, fresh: bool
) -> dict[str, Any]:
    """Date, settings, rows and missing rows of one source: the cached ones, or measured now."""
    path = programs.FOLDER / "measured" / f"{source}.json"
    key = _key(source, this, gpu)
    kept = None if fresh else _kept(path, key)
    if kept is not None:
        say(f"{source}  measured {kept['date']}, kept (FRESH=1 measures again)")
        return kept
    start = time.monotonic()
    bench = experiments.Bench(
        gpu=gpu is not None,
        no_gpu=no_gpu,
        say=lambda text: say(f"{source}  {text}"),
    )
    experiments.EXPERIMENTS[source][0](bench)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for size, picture in bench.pictures.items():
        Image.fromarray(picture).save(PICTURES / f"result-{size}.png")
    measured = {
        "date": now(),
        "settings": bench.settings,
        "rows": bench.rows,
        "missing": bench.missing,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"key": key, "experiment": measured}, indent=1), encoding="utf-8")
    say(f"{source}  done in {time.monotonic() - start:.0f} s")
    return measured


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def measure(want_gpu: bool | None, fresh: bool, command: str) -> dict[str, Any]:
    """The document. Raises one of PROBLEMS if a program does not build or fails."""
    gpu, no_gpu = (None, "no GPU used (--no-gpu)") if want_gpu is False else machine.gpu()
    if want_gpu and gpu is None:
        raise programs.ProgramError(f"--gpu: {no_gpu}")
    this = machine.describe()
    return {
        "format": FORMAT,
        "date": now(),
        "command": command,
        "machine": this,
        "gpu": gpu,
        "experiments": {
            source: experiment(source, this, gpu, no_gpu, fresh)
            for source in experiments.EXPERIMENTS
        },
    }


def parser(description: str | None) -> argparse.ArgumentParser:
    """The options of every command that measures."""
    options = argparse.ArgumentParser(description=description)
    choice = options.add_mutually_exclusive_group()
    choice.add_argument("--gpu", action="store_true", default=None, dest="gpu")
    choice.add_argument("--no-gpu", action="store_false", default=None, dest="gpu")
    options.add_argument(
        "--fresh", action="store_true", help="measure again, do not use kept measurements"
    )
    return options


def main(arguments: Sequence[str]) -> int:
    options = parser((__doc__ or "").split("\n")[0])
    options.add_argument("--out", type=Path, help="the file for the document (default: stdout)")
    chosen = options.parse_args(arguments)
    command = " ".join(["python -m labs.studies.reproduce.measure", *arguments])
    try:
        document = measure(chosen.gpu, chosen.fresh, command)
    except PROBLEMS as problem:
        print(f"reproduce: {problem}", file=sys.stderr)
        return 1
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if chosen.out is None:
        sys.stdout.write(text)
    else:
        chosen.out.parent.mkdir(parents=True, exist_ok=True)
        chosen.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
