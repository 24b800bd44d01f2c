"""What a hostile program tries, and every tier must refuse, or those with Landlock alone."""

import os
from pathlib import Path

from grader import paths
from grader.classroom.bulk.isolation.site import SECRET, Site
from grader.execute.case import OUTPUT_FILES
from grader.sandbox import landlock, seccomp
from grader.sandbox.tiers import Tier


def attempts(site: Site, tier: Tier) -> dict[str, tuple[str, ...]]:
    """What a tier must refuse: the probe's name, and the arguments of probe.c."""
    refused = _in_every_tier(site)
    if tier.number == 1:
        return refused | {"see the grader's process": ("sees-process", str(os.getpid()))}
    if tier.number == 3 and landlock.unhandled(landlock.abi()):
        del refused["signal the grader"]
    return refused | {
        "write to /tmp": ("writes", "/tmp/convlabs-probe"),
        "write to /dev/shm": ("writes", "/dev/shm/convlabs-probe"),
        "leave a message queue": ("opens-queue", "/convlabs-probe"),
    }


def _in_every_tier(site: Site) -> dict[str, tuple[str, ...]]:
    grader, folder = str(os.getpid()), site.folder
    home = [p for p in sorted(Path.home().iterdir()) if p.is_file() and os.access(p, os.R_OK)]
    at_home = str(home[0] if home else Path.home() / ".profile")
    column = seccomp.ARCHITECTURES[os.uname().machine][0]
    numbers = seccomp.DENIED | seccomp.MEMORY

    def call(name: str) -> tuple[str, ...]:
        return ("calls", str(numbers[name][column]))

    return {
        "read another student's file": ("reads", str(site.outside)),
        "list another run's folder": ("lists", str(site.outside.parent)),
        "read hidden cases": ("reads", str(next(paths.SOLUTIONS.glob("*/hidden.toml"), ""))),
        "list the solutions": ("lists", str(paths.ROOT / "solutions")),
        "read a lab's spec": ("reads", str(next(paths.LABS.glob("lab1_*/lab.toml")))),
        "read the grader": ("reads", str(Path(__file__))),
        "read /etc/passwd": ("reads", "/etc/passwd"),
        "read /etc/shadow": ("reads", "/etc/shadow"),
        "read a file in the home folder": ("reads", at_home),
        "list /var": ("lists", "/var"),
        "overwrite its own program": ("writes", str(site.program)),
        "overwrite its input": ("writes", str(folder / "image.npy")),
        "add a file to its folder": ("writes", str(folder / "more")),
        "put a link beside its outputs": ("links", str(folder / "link")),
        "remove an output": ("removes", str(folder / OUTPUT_FILES[0])),
        "put a fifo beside its outputs": ("makes-fifo", str(folder / "fifo")),
        "write to /": ("writes", "/new"),
        "write to /usr": ("writes", "/usr/new"),
        "write to /dev": ("writes", "/dev/new"),
        "create a device": ("makes-device", "/tmp/device"),
        "fill /tmp with a gigabyte": ("fills", "/tmp"),
        "fill /dev/shm with a gigabyte": ("fills", "/dev/shm"),
        "connect to a port of this machine": ("connects", site.port),
        "send a packet to the internet": ("sends", "192.0.2.1"),
        "connect to an abstract socket": ("connects-abstract", site.abstract),
        "connect to a socket file": ("connects-file", str(site.unix)),
        "read an environment variable of the grader": ("finds-variable", SECRET),
        "use an inherited file descriptor": ("has-descriptor",),
        "read the grader's command line": ("reads", f"/proc/{grader}/cmdline"),
        "read the grader's environment": ("reads", f"/proc/{grader}/environ"),
        "read through the grader's root folder": ("reads", f"/proc/{grader}/root/etc/passwd"),
        "write to the grader's memory": ("writes", f"/proc/{grader}/mem"),
        "read the grader's limits": ("reads-limits", grader),
        "signal the grader": ("signals", grader),
        "signal every process": ("signals", "-1"),
        "change the mode of its input": ("changes-mode", str(folder / "image.npy")),
        "be traced like under a debugger": ("traces",),
        "write to the memory of process 1": ("writes-memory",),
        "create a user namespace": ("unshares",),
        "clone into a user namespace": ("clones-user",),
        "mount something": ("mounts", "/tmp"),
        "become root": ("becomes-root",),
        "set the clock": ("sets-clock",),
        "create shared memory": ("shares-memory",),
        "create an anonymous file in memory": call("memfd_create"),
        "use io_uring": call("io_uring_setup"),
        "use userfaultfd": call("userfaultfd"),
        "use perf_event_open": call("perf_event_open"),
        "use the kernel's keyrings": call("keyctl"),
        "read another process's memory": call("process_vm_readv"),
    }
