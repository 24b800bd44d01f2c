"""Compiles the solutions to the objects that students' copies time: one for each file and each kind
of machine, with the flags of timing and without names.

An object holds no source, but a disassembler shows what the solution does: `objects` of
student.toml says whether students get them. The repository's own grader never uses one.
"""

import contextlib
import fcntl
import hashlib
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader import files, paths
from grader.drivers import speed
from grader.model import spec
from grader.model.lab import Lab
from grader.release.contents import Member, ReleaseError
from grader.release.stripped import LOCAL
from grader.timing import reference

HERE = Path(__file__).parent
NATIVE = platform.machine()
TRIPLES = {"x86_64": "x86_64-linux-gnu-", "aarch64": "aarch64-linux-gnu-"}
DEFINED = re.compile(r"^[0-9a-f]+ [A-TV-Za-tv-z] (\S+)$", re.MULTILINE)  # of nm; U: undefined


@dataclass(frozen=True)
class Kind:
    """A kind of machine: its name in the object's, its processor, and make's variables for it."""

    name: str
    machine: str
    flags: str
    backend: str = "cpu"

    def tool(self, name: str) -> str:
        """The binary utility or compiler that handles objects of this kind."""
        return name if self.machine == NATIVE else TRIPLES[self.machine] + name


X86_64 = [Kind(name, "x86_64", f"-march={name}") for name in reversed(reference.X86_64)]
ARM = Kind(reference.AARCH64, "aarch64", "")
CUDA = Kind("x86-64", "x86_64", "", "gpu")


def members(labs: list[str], say: Callable[[str], None]) -> list[Member]:
    """The objects of these labs, as files of the archive. Says what is left out, and why. Raises
    ReleaseError."""
    made: list[Member] = []
    for name in labs:
        lab = spec.load(name)
        timed = dict.fromkeys(lab.file_of(check) for check in lab.speed)
        made += [member for file in timed for member in _of_file(lab, file)]
    for kind in (X86_64[0], ARM, CUDA):
        if (compiler := _missing(kind)) and any(_fits(kind, lab) for lab in map(spec.load, labs)):
            what = f"{'CUDA' if kind is CUDA else 'C'} on {kind.machine}"
            say(f"no object of our solution for {what}: {compiler} is not installed")
    size = sum(len(member.content) for member in made)
    say(f"{len(made)} objects of our solution, {size} bytes, for timing alone")
    return made


def _fits(kind: Kind, lab: Lab) -> bool:
    """Whether a lab times code of this kind."""
    suffix = ".cu" if kind is CUDA else ".c"
    return any(lab.file_of(check).endswith(suffix) for check in lab.speed)


def _missing(kind: Kind) -> str | None:
    """The compiler that an object of this kind needs and this machine lacks."""
    names = [kind.tool("gcc"), *(["nvcc"] if kind is CUDA else [])]
    return next((name for name in names if shutil.which(name) is None), None)


def _of_file(lab: Lab, file: str) -> Iterator[Member]:
    """The objects of one file of the solution. A kind whose object is the same as that of a simpler
    kind has none: lab 8 allows every processor the same instructions."""
    last = b""
    for kind in [CUDA] if file.endswith(".cu") else [*X86_64, ARM]:
        if _missing(kind):
            continue
        content = kept(lab, file) if kind is CUDA else build(lab, file, kind)
        if content != last:
            yield _member(lab, file, kind, content)
            for tuned in _tuned(kind):
                if (better := build(lab, file, tuned)) != content:
                    yield _member(lab, file, tuned, better)
        last = content


def _tuned(kind: Kind) -> Iterator[Kind]:
    """The kind, tuned for each processor of its level that this compiler knows."""
    for tune in reference.TUNES if kind.name in reference.TUNED else ():
        tuned = Kind(f"{kind.name}.{tune}", kind.machine, f"{kind.flags} -mtune={tune}")
        argv = [kind.tool("gcc"), f"-mtune={tune}", "-E", "-x", "c", "/dev/null"]
        if subprocess.run(argv, capture_output=True).returncode == 0:
            yield tuned


def _member(lab: Lab, file: str, kind: Kind, content: bytes) -> Member:
    place = reference.path(lab, file, kind.name).relative_to(paths.ROOT)
    return Member(str(place), content, executable=False)


def kept(lab: Lab, file: str) -> bytes:
    """The object of a file in CUDA, which is made once: nvcc writes other instructions from run to
    run, and the same commit must give the same archive. Raises ReleaseError."""
    decide = [paths.SOLUTIONS / lab.folder / file, paths.ROOT / "Makefile", *HERE.glob("objects.*")]
    decide += sorted((paths.LABS / lab.folder).glob("*.h"))
    decide += sorted((paths.LABS / "runtime").rglob("*.h"))
    decide += sorted((paths.LABS / "runtime").glob("*.mk"))
    key = hashlib.sha256("".join(_run([tool, "--version"]) for tool in ("nvcc", "gcc")).encode())
    for each in decide:
        key.update(hashlib.sha256(each.read_bytes()).digest())
    place = paths.BUILD / "objects" / f"{key.hexdigest()}.o"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        files.replace(place, build(lab, file, CUDA))
    return place.read_bytes()


def build(lab: Lab, file: str, kind: Kind, packed: bool = True) -> bytes:
    """The stripped object of a file of the solution. packed: code for GPUs is compressed. Raises
    ReleaseError."""
    with _folder() as out:
        shutil.copyfile(paths.SOLUTIONS / lab.folder / file, out / f"in{Path(file).suffix}")
        variables = {"LAB": lab.folder, "FILES": file, "BACKEND": kind.backend, "READY": "1"}
        variables |= {"OUT": str(out.relative_to(paths.ROOT)), "CC": kind.tool("gcc")}
        variables |= {"NATIVE": kind.flags} if kind is not CUDA else {}
        variables |= {} if packed else {"PACKED": "-no-compress"}
        settings = [f"{name}={value}" for name, value in variables.items()]
        _run(
            ["make", "-s", "-f", "Makefile", "-f", "grader/release/objects.mk", "object", *settings]
        )
        raw, stripped = out / "raw.o", out / "stripped.o"
        _strip(raw, stripped, entries(lab, _defined(kind, raw)), kind, out)
        return stripped.read_bytes()


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """An empty folder to compile in, always of the same name: objects.mk says why. One build at a
    time has it."""
    folder = paths.BUILD / "object"
    paths.BUILD.mkdir(exist_ok=True)
    with (paths.BUILD / ".object.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def entries(lab: Lab, names: list[str]) -> list[str]:
    """The names that the lab's timing program looks up."""
    file = paths.LABS / lab.folder / "speed.c"
    program = file.read_text() if file.exists() else speed.text(lab)
    return [name for name in names if f'"{name}"' in program]


def _defined(kind: Kind, file: Path) -> list[str]:
    """What an object defines."""
    return DEFINED.findall(_run([kind.tool("nm"), str(file)]))


def _strip(raw: Path, stripped: Path, keep: list[str], kind: Kind, work: Path) -> None:
    """Leaves the functions `keep`, with the prefix; other names, where a relocation needs them, are
    numbers, and belong to the object alone."""
    if not keep:
        raise ReleaseError(f"{raw.name} defines nothing that is timed")
    others = [n for n in dict.fromkeys(_defined(kind, raw)) if n not in keep and n[0] not in "$."]
    renamed = {name: f"{reference.PREFIX}{name}" for name in keep}
    renamed |= {name: f"{LOCAL}{number}" for number, name in enumerate(others)}
    names, visible = work / "names", work / "visible"
    names.write_text("".join(f"{old} {new}\n" for old, new in renamed.items()))
    visible.write_text("".join(f"{reference.PREFIX}{name}\n" for name in keep))
    between = work / "between.o"
    objcopy = kind.tool("objcopy")
    _run([objcopy, f"--redefine-syms={names}", str(raw), str(between)])
    unwanted = ["--strip-unneeded", "--remove-section=.comment"]
    _run([objcopy, f"--keep-global-symbols={visible}", *unwanted, str(between), str(stripped)])


def _run(argv: list[str]) -> str:
    """What a command prints. Raises ReleaseError."""
    done = subprocess.run(argv, cwd=paths.ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise ReleaseError(
            f"{argv[0]} made no object of a solution:\n{done.stderr[-2000:]}\n"
            "repair that, or set `objects = false` in grader/release/student.toml"
        )
    return done.stdout
