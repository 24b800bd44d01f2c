"""What a build of a submission depends on besides the submitted files, and where it is."""

import hashlib
import os
import shutil
from pathlib import Path

from grader import paths
from grader.model.lab import Lab
from grader.sandbox import choice
from grader.sandbox.view import View, interpreter
from grader.setup import nvcc

TEMPORARY = 1 << 29  # bytes of /tmp that compilers may fill
COMPILERS = ("gcc", "g++", "nvcc")
SIMULATOR_HEADERS = Path("sim", "include")  # below paths.LABS
TRANSLATOR = Path("sim", "translate")


def dependencies(lab: Lab) -> list[Path]:
    """The files of the course that decide how a submission is compiled: the make rules, all headers
    that it may include, the lab's own flags, and the programs that translate CUDA to C++ and have
    the machine code report accesses."""
    folder, common, simulator = paths.LABS / lab.folder, paths.LABS / "runtime", paths.LABS / "sim"
    files = [*common.rglob("*.h"), *folder.glob("*.h"), *folder.glob("flags.mk")]
    files += [*simulator.rglob("*.py"), *(paths.LABS / SIMULATOR_HEADERS).rglob("*.h")]
    linked = [common / "submission.mk", common / "course.ld", *common.rglob("*.symbols")]
    linked += [*simulator.rglob("*.symbols"), *simulator.rglob("*.sed"), *simulator.rglob("*.mk")]
    linked += [*simulator.rglob("header.gcc"), *simulator.glob("x86.*")]
    return [paths.ROOT / "Makefile", *linked, *sorted(files)]


def key(lab: Lab) -> str:
    """A hash of the names and contents of these files: after an update of the course or of a
    compiler, nothing that was built before it is used."""
    mixed = hashlib.sha256(compilers().encode())
    for file in dependencies(lab):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        mixed.update(f"{os.path.relpath(file, paths.ROOT)}\0{digest}\0".encode())
    return mixed.hexdigest()


def compilers() -> str:
    """Differs when a compiler is another one. The Makefile asks them for their versions."""
    found = [Path(path) for name in COMPILERS if (path := shutil.which(name))]
    return repr([(str(f), f.stat().st_size, f.stat().st_mtime_ns) for f in found])


def course_build(lab: Lab, backend: str) -> Path:
    """The folder where the lab's own parts are built: the timing program, baseline.so, ..."""
    return paths.BUILD / "given" / given_of(lab) / backend


def given_of(lab: Lab) -> str:
    """The name of the folder for a lab's own parts, which differ by the variant."""
    return "-".join([lab.folder, *(f"{n}{value}" for n, value in sorted(lab.variant.items()))])


def linked(lab: Lab, backend: str) -> list[Path]:
    """The course's objects that a submission's programs are linked with."""
    library = paths.BUILD / "lib" / "plain"
    runner = library / "runtime" / "runner"
    files = [*course_build(lab, backend).glob("*.o"), *library.glob("*.a"), *runner.glob("*.o")]
    return sorted(files)


def view(lab: Lab, out: Path, backend: str) -> View:
    """What the compiler of a submission sees in the sandbox: the files in out/src, dependencies()
    and the course's objects that it links. Makes its user the owner of `out`, where it may
    write."""
    # Shown as one folder each: a path costs half a ms, and the translator has bytecode beside it.
    folders = [paths.LABS / SIMULATOR_HEADERS, paths.LABS / TRANSLATOR]
    library = paths.BUILD / "lib" / "plain"
    reads = [*folders]
    reads += [f for f in dependencies(lab) if not any(f.is_relative_to(each) for each in folders)]
    reads += [*(paths.LABS / lab.folder).glob("baseline.*")]
    reads += [*linked(lab, backend), *library.glob("header"), out / "src", *interpreter()]
    reads += [nvcc.HOME] if nvcc.HOME.exists() else []
    choice.hand_over(out, compiler=True)
    gpu = backend == "gpu"  # nvcc -arch=native asks the GPU for its architecture
    return View(tuple(reads), (out,), temporary=TEMPORARY, compiler=True, gpu=gpu)
