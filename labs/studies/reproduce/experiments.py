"""The experiment of each source: which programs run with which inputs, and what is compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage

from datasets import generate
from labs.studies.reproduce import machine, programs

F32 = npt.NDArray[np.float32]
RESULTS = object()  # in a program's arguments: stands for the folder for its results
SECONDS = 3  # limit for all runs of a row
SIZES_003 = (512, 1024, 2048)
FULL_001, LESS_001 = (27000, 6000), (9000, 6000)
LAYERS_002 = (300, 224, 224, 900)  # channels, height, width, masks
LABS_003 = {
    "constant": 3,
    "idle": 4,
    "tile": 4,
    "register": 4,
    "separable": 5,
    "fused": 5,
    "uncoalesced": 6,
    "coalesced": 6,
    "conflict_free": 6,
    "vectorised": 6,
}


@dataclass
class Bench:
    """Where an experiment runs, and what it has measured so far."""

    work: Path  # a folder for this experiment only
    gpu: bool
    no_gpu: str  # why no GPU is used
    say: Callable[[str], None]
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    missing: dict[str, str] = field(
        default_factory=dict
    )  # beginning of a row's name: why it is missing

    def run(self, backend: str, name: str, prefix: str, *arguments: Any) -> Path | None:
        """Runs a program and keeps its rows as "prefix/row". Returns the folder of its results, or
        None if the program was not built because its lab has no solution."""
        program = programs.binary(backend, name)
        if program is None:
            return None
        self.say(f"{prefix}: {name}")
        folder = self.work / f"{prefix} {name}".replace(" ", "-")
        folder.mkdir(parents=True, exist_ok=True)
        rows = programs.run(program, *(folder if a is RESULTS else a for a in arguments))
        self.rows |= {f"{prefix}/{row}": entry for row, entry in rows.items()}
        return folder

    def filter(
        self,
        backend: str,
        name: str,
        prefix: str,
        inputs: tuple[Path, Path, str],
        runs: int,
        only: Sequence[str] = (),
    ) -> Path | None:
        """As run(), for a program that filters an image; `only` limits it to these rows. With 0
        runs, and always on the simulator, only the results are used and no time is kept."""
        runs = 0 if backend == "sim" else runs
        folder = self.run(backend, name, prefix, *inputs, runs, SECONDS, RESULTS, *only)
        if runs == 0:
            self.rows = {k: v for k, v in self.rows.items() if not k.startswith(f"{prefix}/")}
        return folder

    def value(self, row: str, value: float, backend: str) -> None:
        self.rows[row] = {"value": float(value), "backend": backend}

    def save(self, name: str, array: F32) -> Path:
        path = self.work / f"{name}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, np.ascontiguousarray(array, dtype=np.float32))
        return path

    def lack_labs(self, prefix: str, labs: dict[str, int]) -> None:
        """Records for each missing row which lab it needs."""
        for row, lab in labs.items():
            if f"{prefix}/{row}" not in self.rows:
                self.missing[f"{prefix}/{row}"] = f"lab {lab} has no solution"


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
    image = bench.save("image", generate.photo_1080p() * np.float32(255))
    bench.settings = {"size": "1920x1080", "seconds per row": SECONDS, "runs": 20}
    for size, mask in (("3x3", "ando3"), ("5x5", "ando5")):
        inputs = (image, bench.save(mask, generate.mask(mask, 0)), "replicate")
        bench.filter("cpu", "cpu_filter", f"cpu {size}", inputs, 20)
        exact = bench.filter("cpu", "cpu_filter_exact", f"exact {size}", inputs, 0, ["loops"])
        backend = "gpu" if bench.gpu else "sim"
        fused = bench.filter(backend, "device_lab2", f"gpu {size}", inputs, 20)
        unfused = bench.filter(backend, "device_lab2_unfused", f"unfused {size}", inputs, 0)
        if not bench.gpu:
            bench.missing[f"gpu {size}/"] = bench.no_gpu
        if exact is None or fused is None or unfused is None:
            bench.missing[f"error {size}/"] = "labs 1 and 2 have no solution"
            continue
        expected = np.load(exact / "loops.npy")
        device = np.load(fused / "device.npy")
        where = "GPU" if bench.gpu else "simulator"
        if bench.gpu or machine.fuses():
            bench.value(f"error {size}/fused", mean_square(device, expected), where)
            pictures = mean_square(picture(device), picture(expected))
            bench.value(f"error {size}/fused_pictures", pictures, where)
            bench.value(f"error {size}/fused_differ", differing(device, expected), where)
        else:
            bench.missing[f"error {size}/fused"] = "this processor has no fused multiply-add"
        off = np.load(unfused / "device.npy")
        bench.value(f"error {size}/unfused", mean_square(off, expected), where)
        identical = np.load(fused / "identical.npy")
        bench.value(f"error {size}/identical_differ", differing(identical, expected), where)
        Image.fromarray(picture(device)).save(bench.work / f"result-{size}.png")


def source001(bench: Bench) -> None:
    enough = machine.free_memory() >= machine.MINIMUM_MEMORY
    width, height = FULL_001 if enough else LESS_001
    bench.settings = {
        "size": f"{width}x{height}",
        "pixels": width * height,
        "threads": machine.cores(),
        "seconds per row": 8,
        "runs": 20,
    }
    if bench.run("cpu", "cpu_grey", "cpu", width, height, 20, 8) is None:
        bench.missing["cpu/"] = "lab 8 has no solution"
    elif "cpu/avx2" not in bench.rows:
        bench.missing["cpu/"] = "this processor has no AVX2 instructions"
    if not bench.gpu:
        bench.missing["gpu/"] = bench.no_gpu
    elif bench.run("gpu", "device_lab8", "gpu", width, height, 20, 8) is None:
        bench.missing["gpu/"] = "lab 8 has no solution"


def source002(bench: Bench) -> None:
    channels, height, width, masks = LAYERS_002
    operations = 2 * 9 * channels * height * width * masks
    bench.settings = {"convolution operations": operations, "seconds per row": 8, "runs": 20}
    if not bench.gpu:
        bench.missing["gpu/"] = bench.no_gpu
    elif bench.run("gpu", "device_lab7", "gpu", channels, height, width, masks, 20, 8) is None:
        bench.missing["gpu/"] = "lab 7 has no solution"


def source003(bench: Bench) -> None:
    bench.settings = {"mask": "Gaussian 17x17, sigma 3", "seconds per row": SECONDS, "runs": 50}
    mask = bench.save("mask", generate.mask("gaussian17", 0))
    for side in SIZES_003:
        size = f"{side}x{side}"
        image = bench.save(size, generate.image("noise", (side, side), 3))
        inputs = (image, mask, "zero")
        bench.filter("cpu", "cpu_separable", f"cpu {size}", inputs, 50)
        bench.filter("cpu", "cpu_filter", f"cpu {size}", inputs, 50, ["openmp"])
        if not bench.gpu:
            bench.missing[f"gpu {size}/"] = bench.no_gpu
            continue
        for lab in (3, 4, 5, 6):
            bench.filter("gpu", f"device_lab{lab}", f"gpu {size}", inputs, 50)
        bench.lack_labs(f"gpu {size}", LABS_003)


def source004(bench: Bench) -> None:
    image = generate.photo()[150:350, 200:400] / np.float32(255)
    mask = generate.mask("random13", 4)
    bench.settings = {"size": "200x200", "seconds per row": SECONDS, "runs": 50}
    inputs = (bench.save("image", image), bench.save("mask", mask), "zero")
    expected = ndimage.correlate(np.asarray(image, dtype=np.float32), mask, mode="constant")
    backend = "gpu" if bench.gpu else "sim"
    for name in ("device_lab2", "device_lab4"):
        folder = bench.filter(backend, name, "gpu", inputs, 50)
        for path in sorted(folder.glob("*.npy")) if folder else []:
            error = np.max(np.abs(np.load(path) - expected) / np.abs(expected))
            where = "GPU" if bench.gpu else "simulator"
            bench.value(f"error/{path.stem}", float(error), where)
    if not bench.gpu:
        bench.missing["gpu/"] = bench.no_gpu
    else:
        bench.lack_labs("gpu", {"device": 2, "tile": 4, "dynamic": 4, "register": 4})


# By source: the experiment, and the programs that it runs, which are part of the kept key.
EXPERIMENTS: dict[str, tuple[Callable[[Bench], None], str]] = {
    "000": (source000, "cpu_filter cpu_filter_exact device_lab2 device_lab2_unfused"),
    "001": (source001, "cpu_grey device_lab8"),
    "002": (source002, "device_lab7"),
    "003": (
        source003,
        "cpu_separable cpu_filter device_lab3 device_lab4 device_lab5 device_lab6",
    ),
    "004": (source004, "device_lab2 device_lab4"),
}
