"""Measures what this machine can, as a document of format convlabs-reproduce/v1.

    python -m labs.reproduce.measure [--gpu | --no-gpu] [--fresh] [--out FILE.json]

--gpu fails where no GPU can be used, --no-gpu leaves it alone; with neither, it is used when there
is one. What has been measured is kept in build/reproduce/measured/ and used again while the
programs, the machine and the experiment are the same, unless --fresh. Needs gcc, make, NumPy, SciPy
and Pillow, nvcc where there is a GPU, and no network once build/datasets/coffee.png is there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from datasets import generate
from grader import paths
from labs.reproduce import experiments, machine, programs

FORMAT = "convlabs-reproduce/v1"
FOLDER = paths.BUILD / "reproduce"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _key(source: str, this: dict[str, Any], gpu: dict[str, str] | None) -> str:
    """Under which an experiment is kept: another program, machine or experiment has another."""
    backends = ("cpu", "gpu") if gpu else ("cpu", "sim")
    names = experiments.EXPERIMENTS[source][1].split()
    found = [programs.binary(backend, name) for backend in backends for name in names]
    binaries = [path for path in found if path is not None]
    ours = [Path(experiments.__file__), *binaries]
    whole = [[path.name for path in binaries], programs.digest(ours), this, gpu]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def _kept(path: Path, key: str) -> dict[str, Any] | None:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    experiment = document["experiment"] if document.get("key") == key else None
    return experiment if isinstance(experiment, dict) else None


def experiment(
    source: str, this: dict[str, Any], gpu: dict[str, str] | None, no_gpu: str, fresh: bool
) -> dict[str, Any]:
    """Rows, settings and what is missing of one source; kept ones, if there are."""
    path = FOLDER / "measured" / f"{source}.json"
    key = _key(source, this, gpu)
    kept = None if fresh else _kept(path, key)
    if kept is not None:
        say(f"{source}  as measured {kept['date']} (FRESH=1 measures again)")
        return kept
    start = time.monotonic()
    bench = experiments.Bench(
        work=FOLDER / "work" / source,
        gpu=gpu is not None,
        no_gpu=no_gpu,
        say=lambda text: say(f"{source}  {text}"),
    )
    experiments.EXPERIMENTS[source][0](bench)
    done = {
        "date": now(),
        "settings": bench.settings,
        "rows": bench.rows,
        "missing": bench.missing,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"key": key, "experiment": done}, indent=1), encoding="utf-8")
    say(f"{source}  done in {time.monotonic() - start:.0f} s")
    return done


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def measure(want_gpu: bool | None, fresh: bool, command: str) -> dict[str, Any]:
    """The document. Raises programs.ProgramError when something of ours fails."""
    gpu, no_gpu = (None, "GPU left alone (--no-gpu)") if want_gpu is False else machine.gpu()
    if want_gpu and gpu is None:
        raise programs.ProgramError(f"--gpu: {no_gpu}")
    say("building the programs")
    for backend in ("cpu", "gpu") if gpu else ("cpu", "sim"):
        programs.build(backend)
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
    options.add_argument("--fresh", action="store_true", help="measure again what is kept")
    return options


def main(arguments: Sequence[str]) -> int:
    options = parser((__doc__ or "").split("\n")[0])
    options.add_argument("--out", type=Path, help="where the document goes (default: stdout)")
    chosen = options.parse_args(arguments)
    command = " ".join(["python -m labs.reproduce.measure", *arguments])
    try:
        document = measure(chosen.gpu, chosen.fresh, command)
    except (programs.ProgramError, generate.DatasetMissing) as problem:
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
