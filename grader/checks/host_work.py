"""Whether the host computes what kernels are asked to compute: where the image is on the device, it
can do nothing without seeing it; where it comes from the host, kernels must store the output."""

from grader.execute.case import Status
from grader.execute.instrumented import InstrumentedRun

MOST = 0.9  # of the bytes of the output: counters of many blocks are scaled from some
FEW = 0.25  # of the bytes of the output: a few numbers, but not an image
WHY = "these points are for kernels that compute the output; the host must not do it for them"


def seen(status: Status | None, out_bytes: int) -> str | None:
    """That a function whose image and output are on the device lets the host see too much of them;
    None if it does not, or they are not there."""
    count = status.seen_by_host if status else None
    if count is None or count <= FEW * out_bytes:
        return None
    return (
        f"your function lets the host see {count} bytes of device memory, copied there or in "
        "memory that host and device share, but image and output are on the device"
    )


def idle(run: InstrumentedRun, stored: int) -> str | None:
    """How it shows that the kernels do not compute the output, or None: whatever the counters say
    of a kernel, it earns nothing for work that the host does. stored: bytes that kernels stored to
    global memory."""
    on_device = run.outcome.status is not None and run.outcome.status.seen_by_host is not None
    if not on_device and stored < MOST * run.out_bytes:
        return (
            f"your kernels store {stored} bytes to global memory, but the output has "
            f"{run.out_bytes}"
        )
    return seen(run.outcome.status, run.out_bytes)
