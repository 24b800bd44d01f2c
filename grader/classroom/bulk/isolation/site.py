"""Where the probes run: what they may use, and what lies around it that they try to reach."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.compile import make
from grader.execute.case import OUTPUT_FILES
from grader.sandbox import choice, launcher
from grader.sandbox.ending import Finished
from grader.sandbox.limits import Limits
from grader.sandbox.view import View
from grader.sandbox.workspace import create_outputs, workspace

SOURCE = Path(__file__).with_name("probe.c")
KERNEL = Path(__file__).with_name("probe.cu")
SECRET = "CONVLABS_PROBE_SECRET"
SHORT = Limits(seconds=10, file_size=1 << 20)


@dataclass(frozen=True)
class Site:
    """Where the probes run: the compiled program, and a run's folder with its files."""

    program: Path
    folder: Path
    outside: Path  # a file that no submission may read
    port: str  # of a server on this machine
    abstract: str  # name of a Unix socket without a file
    unix: Path  # a Unix socket with a file
    gpu: bool  # the sandbox is that of programs that use a GPU

    def launch(self, *arguments: str, limits: Limits = SHORT) -> Finished:
        outputs = create_outputs(self.folder, OUTPUT_FILES)
        view = View((self.program, self.folder), outputs, gpu=self.gpu)
        return launcher.launch([str(self.program), *arguments], limits, self.folder, view=view)


@contextmanager
def prepared(gpu: bool) -> Iterator[Site]:
    """Lays out what the probes try to reach, and removes it in the end."""
    os.environ[SECRET] = "1"
    with ExitStack() as stack:
        work = stack.enter_context(workspace())
        inet = stack.enter_context(socket.socket())
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        inet.bind(("127.0.0.1", 0))
        inet.listen()
        abstract = f"convlabs-probe-{os.getpid()}"
        unix.bind("\0" + abstract)
        unix.listen()
        # The path of a socket has 107 bytes at most, and that of the workspace may be longer.
        named = stack.enter_context(socket.socket(socket.AF_UNIX))
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="convlabs-")))
        home.chmod(0o755)
        named.bind(str(home / "socket"))
        named.listen()
        (home / "socket").chmod(0o777)
        folder = Path(tempfile.mkdtemp(dir=work))
        outside = work / "other" / "outside"
        outside.parent.mkdir()
        outside.write_text("another student's work")
        (folder / "image.npy").write_text("an input")
        program = compiled(work / "built", ["gcc", "-std=gnu11", "-O1", "-pthread", "-lrt"], SOURCE)
        port = str(inet.getsockname()[1])
        try:
            yield Site(program, folder, outside, port, abstract, home / "socket", gpu)
        finally:
            del os.environ[SECRET]


def compiled(out: Path, compiler: list[str], source: Path) -> Path:
    """Compiles a probe in the sandbox, as a submission is compiled."""
    out.mkdir()
    choice.hand_over(out, compiler=True)
    view = View((source,), (out,), temporary=1 << 28, compiler=True, gpu=source is KERNEL)
    argv = [*compiler, str(source), "-o", str(out / "probe")]
    finished = launcher.launch(argv, make.COMPILE_LIMITS, out, view=view)
    if finished.status != 0:
        stderr = finished.stderr.decode(errors="replace").strip() or f"{compiler[0]} did not run"
        raise OSError(0, f"the probe does not compile in the sandbox: {stderr[-300:]}")
    return out / "probe"
