"""Makes the program of an attack, and what it tries to reach."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from grader import paths
from grader.classroom.bulk.database import FILE, OWN_FOLDER
from grader.model import spec
from grader.model.lab import Lab, Limits
from grader.model.submission import Submission
from grader.tests.attacks.attack import Attack
from grader.tests.classroom.bulk import hostile
from grader.tests.known_submissions import entries

SECRET = "CONVLABS_ATTACKED_SECRET"
CONTENT = "int another_students_work;\n"

# For every program in C or CUDA. A static function that is not used is not in the object.
HELPERS = r"""
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>

__attribute__((unused)) static int stopped(const char *call) {
    fprintf(stderr, "stopped: %s: %s\n", call, strerror(errno));
    return 0;
}
"""
# For an attack that calls it: a file that names open() is refused.
OUTPUT_FILE = r"""
/* Where the runner writes its output, from its arguments: out=PATH:TYPE:SHAPE behind --out. */
__attribute__((unused)) static char *output_file(void) {
    static char line[1 << 16];
    int fd = open("/proc/self/cmdline", O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
    for (char *at = line; at < line + n; at += strlen(at) + 1)
        if (strncmp(at, "out=", 4) == 0 && strchr(at, ':')) {
            *strchr(at, ':') = 0;
            return at + 4;
        }
    return (char *)"/nothing/at/all";
}
"""
# For a body: the parameters of correlate_loops(), and what it would be without the attack.
BODY = """
static void accepted(const float *image, int width, int height, const float *mask, int radius,
                   enum border border, float *out) {
    const int size = 2 * radius + 1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float sum = 0.0f;
            for (int b = -radius; b <= radius; b++)
                for (int a = -radius; a <= radius; a++) {
                    int row = y + b < 0 ? 0 : y + b >= height ? height - 1 : y + b;
                    int column = x + a < 0 ? 0 : x + a >= width ? width - 1 : x + a;
                    if (border == BORDER_ZERO && (row != y + b || column != x + a))
                        continue;
                    const float coefficient = mask[(b + radius) * size + a + radius];
                    sum += image[(size_t)row * width + column] * coefficient;
                }
            out[(size_t)y * width + x] = sum;
        }
}
void correlate_loops(const float *image, int width, int height, const float *mask, int radius,
                     enum border border, float *out) {
    (void)accepted;
    (void)image, (void)width, (void)height, (void)mask, (void)radius, (void)border, (void)out;
    @BODY@
}
void correlate_rows(const float *image, int width, int height, const float *mask, int radius,
                    enum border border, float *out) {
    correlate_loops(image, width, height, mask, radius, border, out);
}
void correlate_openmp(const float *image, int width, int height, const float *mask, int radius,
                      enum border border, float *out) {
    correlate_loops(image, width, height, mask, radius, border, out);
}
"""


@dataclass(frozen=True)
class Target:
    """What the attacks try to reach: a folder that no submission may see, with another student's
    file in it, a port and an abstract socket that accept connections, a variable."""

    folder: Path
    listeners: tuple[socket.socket, socket.socket]
    abstract: str

    @property
    def outside(self) -> Path:
        return self.folder / "other" / "cpu_loop.c"

    @property
    def keys(self) -> Path:
        """Where the run of a class keeps the keys of its questions."""
        return self.folder / "run" / OWN_FOLDER / FILE

    def was_connected(self) -> bool:
        """Has a program reached one of the sockets?"""
        for listener in self.listeners:
            try:
                listener.accept()[0].close()
            except BlockingIOError:
                continue
            return True
        return False

    def words(self, lab: Lab) -> dict[str, str]:
        """What stands for @WORD@ in an attack."""
        return {
            "OUTSIDE": str(self.outside),
            "KEYS": str(self.keys),
            "PWNED": str(self.folder / "pwned"),
            "SOLUTION": f"{paths.ROOT}/solutions/{lab.folder}/{lab.submit[0]}",
            "OWN_FOLDER": str(paths.hidden_cases(lab.folder)),
            "PORT": str(self.listeners[0].getsockname()[1]),
            "ABSTRACT": self.abstract,
            "PARENT": str(os.getpid()),
            "SECRET": SECRET,
            "FORGED": hostile.FORGED,
            "GOOD": hostile.solution(lab),
            "LONG": "x" * (1 << 20),
            "COPIES": "cudaMemcpy(&number, d_number, 4, cudaMemcpyDeviceToHost);\n" * 210,
            "WARNINGS": "int f(int x) { int y; return x; }\n" + "#warning x\n" * 80_000,
            "NESTED": "int x = " + "(" * 100_000 + "1" + ")" * 100_000 + ";\n",
        }


@contextmanager
def target() -> Iterator[Target]:
    """Lays out what the attacks try to reach, and removes it in the end."""
    os.environ[SECRET] = "1"
    with (
        tempfile.TemporaryDirectory(prefix="convlabs-attacked-") as folder,
        socket.socket() as inet,
        socket.socket(socket.AF_UNIX) as unix,
    ):
        abstract = f"convlabs-attacked-{os.getpid()}"
        inet.bind(("127.0.0.1", 0))
        unix.bind("\0" + abstract)
        for listener in (inet, unix):
            listener.listen()
            listener.setblocking(False)
        prepared = Target(Path(folder), (inet, unix), abstract)
        prepared.outside.parent.mkdir()
        prepared.outside.write_text(CONTENT)
        prepared.keys.parent.mkdir(parents=True)
        prepared.keys.write_text(CONTENT)
        try:
            yield prepared
        finally:
            del os.environ[SECRET]


def submission(attack: Attack, lab: Lab, place: Target, home: Path) -> Submission:
    """The attack as a submission that is built in `home`."""
    content = bytes.fromhex(attack.bytes) if attack.bytes is not None else _text(attack, lab, place)
    others = {name: (paths.SOLUTIONS / lab.folder / name).read_bytes() for name in lab.submit}
    contents = others | {attack.file or lab.submit[0]: content}
    return Submission(lab, home, lab.folder, contents, [], home)


def _text(attack: Attack, lab: Lab, place: Target) -> bytes:
    if attack.source is not None:
        text = attack.source
    elif attack.body is not None:
        text = hostile.HEADERS + _helpers(attack) + BODY.replace("@BODY@", attack.body)
    elif lab.id not in hostile.FUNCTIONS:
        text = attack.code + _base(attack, lab)
    else:
        text = hostile.gated(lab, attack.attack, _helpers(attack), _base(attack, lab))
    for word, value in place.words(lab).items():
        text = text.replace(f"@{word}@", value)
    return text.encode()


def _helpers(attack: Attack) -> str:
    """What an attack may call, and its own functions."""
    calls = attack.code + (attack.body or "") + (attack.attack or "")
    return HELPERS + OUTPUT_FILE * ("output_file" in calls) + attack.code


def _base(attack: Attack, lab: Lab) -> str:
    """The file behind the gate. Raises ValueError for an edit that does not fit it."""
    name = attack.file or lab.submit[0]
    if attack.base == "solution":
        text = (paths.SOLUTIONS / lab.folder / name).read_text()
    else:
        text = entries.files(entries.find(f"{lab.id}/{attack.base}"))[name]
    for old, new, *which in attack.edits:
        count = text.count(old)
        if count != 1 and not (which and count):
            raise ValueError(f"{attack.name}: found {count} times: {old!r}")
        text = text.replace(old, new, 1)
    return text


def lab_of(attack: Attack) -> Lab:
    """The lab, with the attack's limit for each case."""
    lab = spec.load(attack.lab)
    return msgspec.structs.replace(lab, limits=Limits(seconds=attack.limit))
