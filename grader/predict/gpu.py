"""The descriptions of GPUs, in grader/predict/gpus/."""

from functools import cache
from pathlib import Path

import msgspec

_FOLDER = Path(__file__).with_name("gpus")
DEFAULT = "h200"


class Gpu(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """gpus/h200.toml says what each number is."""

    name: str
    measured: str  # date and driver; "": not measured
    clock: float
    multiprocessors: int
    warps: int
    blocks: int
    registers: int
    shared: int
    issue: float
    alu: float
    fma: float
    imul: float
    fp64: float
    special: float
    constant: float
    wavefronts: float
    l2: float
    l2_bytes: int
    store_wavefronts: float
    dram: float
    launch: float
    block_rate: float
    l1_latency: float
    l2_latency: float
    dram_latency: float
    shared_latency: float
    alu_latency: float
    atomic_rates: list[tuple[float, float]]


def names() -> list[str]:
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


@cache
def gpu(name: str = DEFAULT) -> Gpu:
    """Raises KeyError for a name that is not one of names()."""
    if name not in names():
        raise KeyError(name)
    return msgspec.toml.decode((_FOLDER / f"{name}.toml").read_bytes(), type=Gpu)
