"""The experiment of each source: which programs run with which inputs, and what is compared."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets import generate
from grader.oracle import correlation
from labs.studies.bench import machine
from labs.studies.bench.work import REPLICATE, ZERO, Work
from labs.studies.reproduce import programs
from labs.studies.reproduce.programs import Found, Limit

F32 = npt.NDArray[np.float32]
SECONDS = 3  # limit for all runs of a row
NO_TIMES = Limit(0, 0)
SIZES_003 = (512, 1024, 2048)
FULL_001, LESS_001 = (27000, 6000), (9000, 6000)
# Bytes for source 001's full size: colour, grey, and a second grey to compare.
MINIMUM_MEMORY = 3 << 29
LAYERS_002 = (300, 224, 900)  # channels, side of the image, masks


@dataclass
class Bench:
    """What an experiment has measured so far."""

    gpu: bool
    no_gpu: str  # why no GPU is used
    say: Callable[[str], None]
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    missing: dict[str, str] = field(
        default_factory=dict
    )  # beginning of a row's name: why it is missing
    pictures: dict[str, npt.NDArray[np.uint8]] = field(default_factory=dict)

    def run(self, prefix: str, program: Callable[..., Found], *arguments: Any) -> Found:
        """Runs a program and keeps its rows as "prefix/row"."""
        self.say(f"{prefix}: {program.__name__}")
        found = programs.run(program, *arguments)
        for row, seconds in found.seconds.items():
            self.rows[f"{prefix}/{row}"] = programs.summary(seconds)
        for row, value in found.values.items():
            self.rows[f"{prefix}/{row}"] = {"value": value}
        return found

    def device(self, prefix: str, lab: str, computed: Work, runs: int, side: str = "") -> Found:
        """The kernels of a lab: on the GPU, or on the simulator, which gives no times."""
        limit = Limit(runs, SECONDS) if self.gpu else NO_TIMES
        backend = "gpu" if self.gpu else "sim"
        return self.run(prefix, programs.device_filter, backend, lab, computed, limit, side)

    def value(self, row: str, value: float, backend: str) -> None:
        self.rows[row] = {"value": float(value), "backend": backend}


def picture(values: F32) -> npt.NDArray[np.uint8]:
    """Source 000's post-processing: absolute values, scaled so that the largest is 255."""
    absolute = np.abs(values.astype(np.float64))
    return np.asarray(np.rint(absolute * (255.0 / absolute.max())), dtype=np.uint8)


def mean_square(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> float:
    return float(np.mean((a.astype(np.float64) - b.astype(np.float64)) ** 2))


def differing(a: F32, b: F32) -> float:
    """The percentage of pixels whose bits differ."""
    return float(100 * np.mean(a.view(np.uint32) != b.view(np.uint32)))


def source000(bench: Bench) -> None:
    photo = generate.photo_1080p() * np.float32(255)
    bench.settings = {"size": "1920x1080", "seconds per row": SECONDS, "runs": 20}
    where = "GPU" if bench.gpu else "simulator"
    for size, mask in (("3x3", "ando3"), ("5x5", "ando5")):
        computed = programs.filtering(photo, generate.mask(mask, 0), REPLICATE)
        bench.run(f"cpu {size}", programs.cpu_filter, computed, Limit(20, SECONDS))
        exact = bench.run(
            f"exact {size}", programs.cpu_filter, computed, NO_TIMES, ["loops"], "unfused"
        )
        fused = bench.device(f"gpu {size}", "lab2", computed, 20).outputs
        unfused = bench.device(f"unfused {size}", "lab2", computed, 0, "unfused").outputs
        if not bench.gpu:
            bench.missing[f"gpu {size}/"] = bench.no_gpu
        expected, device = exact.outputs["loops"], fused["device"]
        if bench.gpu or machine.fuses():
            bench.value(f"error {size}/fused", mean_square(device, expected), where)
            pictures = mean_square(picture(device), picture(expected))
            bench.value(f"error {size}/fused_pictures", pictures, where)
            bench.value(f"error {size}/fused_differ", differing(device, expected), where)
        else:
            bench.missing[f"error {size}/fused"] = "this processor has no fused multiply-add"
        off = mean_square(unfused["device"], expected)
        bench.value(f"error {size}/unfused", off, where)
        identical = differing(fused["identical"], expected)
        bench.value(f"error {size}/identical_differ", identical, where)
        bench.pictures[size] = picture(device)


def source001(bench: Bench) -> None:
    enough = machine.free_memory() >= MINIMUM_MEMORY
    width, height = FULL_001 if enough else LESS_001
    bench.settings = {
        "size": f"{width}x{height}",
        "pixels": width * height,
        "threads": machine.cores(),
        "seconds per row": 8,
        "runs": 20,
    }
    limit = Limit(20, 8)
    bench.run("cpu", programs.cpu_grey, height, width, limit)
    if "cpu/avx2" not in bench.rows:
        bench.missing["cpu/"] = "this processor has no AVX2 instructions"
    if bench.gpu:
        bench.run("gpu", programs.device_grey, height, width, limit)
    else:
        bench.missing["gpu/"] = bench.no_gpu


def source002(bench: Bench) -> None:
    channels, side, masks = LAYERS_002
    operations = 2 * 9 * channels * side * side * masks
    bench.settings = {"convolution operations": operations, "seconds per row": 8, "runs": 20}
    if bench.gpu:
        bench.run("gpu", programs.device_layers, channels, side, masks, Limit(20, 8))
    else:
        bench.missing["gpu/"] = bench.no_gpu


def source003(bench: Bench) -> None:
    bench.settings = {"mask": "Gaussian 17x17, sigma 3", "seconds per row": SECONDS, "runs": 50}
    mask, limit = generate.mask("gaussian17", 0), Limit(50, SECONDS)
    for side in SIZES_003:
        size = f"{side}x{side}"
        computed = programs.filtering(generate.image("noise", (side, side), 3), mask, ZERO)
        bench.run(f"cpu {size}", programs.cpu_separable, computed, limit)
        bench.run(f"cpu {size}", programs.cpu_filter, computed, limit, ["openmp"])
        if not bench.gpu:
            bench.missing[f"gpu {size}/"] = bench.no_gpu
            continue
        for lab in ("lab3", "lab4", "lab5", "lab6"):
            bench.device(f"gpu {size}", lab, computed, 50)


def source004(bench: Bench) -> None:
    image = generate.photo()[150:350, 200:400] / np.float32(255)
    computed = programs.filtering(image, generate.mask("random13", 4), ZERO)
    bench.settings = {"size": "200x200", "seconds per row": SECONDS, "runs": 50}
    expected = correlation.correlate64(computed.image, computed.mask, "zero")
    where = "GPU" if bench.gpu else "simulator"
    for lab in ("lab2", "lab4"):
        for row, out in bench.device("gpu", lab, computed, 50).outputs.items():
            error = np.max(np.abs(out - expected) / np.abs(expected))
            bench.value(f"error/{row}", float(error), where)
    if not bench.gpu:
        bench.missing["gpu/"] = bench.no_gpu


CPU_FILTER = "lab1/baseline lab1/reference"
# By source: the experiment, and by backend what it runs, which is part of the cache key.
EXPERIMENTS: dict[str, tuple[Callable[[Bench], None], dict[str, str]]] = {
    "000": (
        source000,
        {
            "cpu": f"{CPU_FILTER} lab1/unfused",
            "sim": "lab2/reference lab2/unfused",
            "gpu": "lab2/reference lab2/unfused",
        },
    ),
    "001": (
        source001,
        {"cpu": "lab8/baseline lab8/reference lab8/grey_fma", "gpu": "lab8/reference"},
    ),
    "002": (source002, {"gpu": "lab7/reference lab7/baseline"}),
    "003": (
        source003,
        {
            "cpu": f"{CPU_FILTER} lab1/cpu_separable",
            "gpu": "lab3/reference lab4/reference lab5/reference lab6/reference lab6/baseline",
        },
    ),
    "004": (
        source004,
        {"sim": "lab2/reference lab4/reference", "gpu": "lab2/reference lab4/reference"},
    ),
}
