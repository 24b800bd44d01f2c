"""Compiles many small files at once, and asks for each what is refused of it."""

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import paths
from grader.compile import make
from grader.compile.permitted import submission_check
from grader.compile.permitted.submission_check import Product
from grader.compile.permitted.symbol_rules import Kind
from grader.model import spec
from grader.model.submission import Submission
from grader.tests import captured

SHOWN = "student"
KINDS: dict[str, tuple[Kind, ...]] = {
    ".c": ("plain", "checked", "raced", "timed"),
    ".cu": ("plain", "checked"),
}


@dataclass(frozen=True)
class Outcome:
    """refused: what is refused of a file, one message for each. log: what the compilers said about
    it; "" where all of its objects were made."""

    refused: list[str]
    log: str


def outcomes(
    sources: Mapping[str, str], lab_id: str, backend: str, kinds: Sequence[Kind] | None = None
) -> dict[str, Outcome]:
    """What becomes of each file, compiled as one of a lab's. kinds: of which objects to make; None
    for all that the kind of file has."""
    lab = spec.load(lab_id)
    out = paths.BUILD / "tests" / "objects" / f"{lab_id}-{backend}-{os.getpid()}"
    (out / "src").mkdir(parents=True, exist_ok=True)
    try:
        make.prepare(lab, backend, timed=False)
        products: dict[str, list[Product]] = {}
        for name, text in sources.items():
            (out / "src" / name).write_text(text)
            made = kinds or (KINDS[Path(name).suffix] if backend != "gpu" else ("plain",))
            products[name] = [Product.of(out, name, kind, backend) for kind in made]
        goals = [os.path.relpath(p.file, paths.ROOT) for group in products.values() for p in group]
        variables = {
            "LAB": lab.folder,
            "BACKEND": backend,
            "FILES": " ".join(sources),
            "OUT": os.path.relpath(out, paths.ROOT),
            "READY": "1",
            "GPU_ARCH": "sm_75",
        }
        argv = ["make", "-k", "-j2", "-Otarget", *goals]
        argv += [f"{name}={value}" for name, value in variables.items()]
        environment = os.environ | make.shown({name: f"{SHOWN}/{name}" for name in sources})
        done = captured.run(argv, cwd=paths.ROOT, env=environment)
        found = {}
        for name, text in sources.items():
            submission = Submission(lab, out / "src", SHOWN, {name: text.encode()}, [])
            found[name] = _outcome(submission, out, products[name], backend, done.stderr)
        return found
    finally:
        shutil.rmtree(out)


def _outcome(
    submission: Submission, out: Path, products: list[Product], backend: str, log: str
) -> Outcome:
    (name,) = submission.contents
    found = submission_check.find(submission, out, [[product] for product in products], backend)
    complete = all(product.file.exists() and product.text.exists() for product in products)
    about = [line for line in log.splitlines() if re.search(rf"\b{re.escape(name)}\b", line)]
    return Outcome([d.render() for d in found], "" if complete else "\n".join(about) or log[-2000:])
