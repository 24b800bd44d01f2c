"""The images and masks of the labs, the same bits on every machine.

From Python: image(), mask(). As a program:

    python datasets/generate.py --fetch      download the photograph, which a PyPI package contains
    python datasets/generate.py --check      compare everything with the hashes of manifest.toml

Random numbers come from stream.py. All values come from IEEE operations in a fixed order, never
from a library's exp(); labs/runtime/mask.c computes the same ones.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from PIL import Image, UnidentifiedImageError

from datasets.missing import DatasetMissing
from datasets.stream import uniform

F32 = npt.NDArray[np.float32]

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "datasets"
FOLDER = ROOT / "build" / "datasets"
PHOTO = FOLDER / "coffee.png"


# ------------------------------------------------------------------------------ images


def noise(width: int, height: int, seed: int) -> F32:
    """Uniform in (0, 1]. The seed's bits are flipped: a mask of that seed has other numbers."""
    return uniform(~seed, 0, width * height).astype(np.float32).reshape(height, width)


def ramp(width: int, height: int) -> F32:
    """x + 100 y, scaled so that the last pixel is 1: every pixel shows its own position."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    last = max(width - 1 + 100 * (height - 1), 1)
    return np.asarray((x + 100.0 * y) / last, dtype=np.float32)


def impulse(width: int, height: int) -> F32:
    """0, and 1 at (width/2, height/2): correlated with a mask, it gives the flipped mask."""
    f = np.zeros((height, width), dtype=np.float32)
    f[height // 2, width // 2] = 1.0
    return f


def checkerboard(width: int, height: int) -> F32:
    """Squares of 8x8 pixels, 0 and 1, the first one 0."""
    y, x = np.mgrid[0:height, 0:width]
    return np.asarray((x // 8 + y // 8) % 2, dtype=np.float32)


def rgb() -> npt.NDArray[np.uint8]:
    """The photograph, 400 x 600 x 3 bytes. Raises DatasetMissing if it is not there."""
    try:
        with Image.open(PHOTO) as picture:
            return np.asarray(picture.convert("RGB"), dtype=np.uint8)
    except (FileNotFoundError, UnidentifiedImageError):
        raise DatasetMissing(
            "the photograph build/datasets/coffee.png is missing; "
            "run ./grade setup with a network connection"
        ) from None


def luminance_sum() -> npt.NDArray[np.int64]:
    """The photograph as 2126 R + 7152 G + 722 B, 400 x 600; white is 2550000."""
    weights = np.array([2126, 7152, 722], dtype=np.int64)
    return np.asarray(rgb().astype(np.int64) @ weights, dtype=np.int64)


def photo() -> F32:
    """The luminance 0.2126 R + 0.7152 G + 0.0722 B of the photograph, 0..1, 400 x 600.

    An integer sum, one division in double, one rounding, as in image_read() of labs/runtime.
    """
    return np.asarray(luminance_sum() / 2550000.0, dtype=np.float32)


def photo_1080p() -> F32:
    """The middle 592x333 pixels of the photograph, enlarged to 1920x1080, bilinear.

    Both ratios are 37/120, so output x lies at ((2x+1) 37 - 120) / 240 of the crop, and the four
    neighbours' weights are integers over 240^2. The crop's last pixels are repeated at its edges.
    """
    crop = luminance_sum()[33 : 33 + 333, 4 : 4 + 592]

    def taps(count: int, size: int) -> tuple[npt.NDArray[np.int64], ...]:
        position = (2 * np.arange(count, dtype=np.int64) + 1) * 37 - 120
        first, weight = np.divmod(position, 240)
        return np.clip(first, 0, size - 1), np.clip(first + 1, 0, size - 1), weight

    left, right, wx = taps(1920, 592)
    rows = crop[:, left] * (240 - wx) + crop[:, right] * wx
    upper, lower, wy = taps(1080, 333)
    total = rows[upper] * (240 - wy)[:, None] + rows[lower] * wy[:, None]
    return np.asarray(total / (2550000.0 * 240.0 * 240.0), dtype=np.float32)


PATTERNS: dict[str, Callable[[int, int], F32]] = {
    "ramp": ramp,
    "impulse": impulse,
    "checkerboard": checkerboard,
}
PHOTOS: dict[str, Callable[[], F32]] = {"photo": photo, "photo_1080p": photo_1080p}


def image(name: str, size: Sequence[int] | None, seed: int) -> F32:
    """An image, height x width. `size` is (width, height), or None for a photograph.

    Raises ValueError for an unknown name or a wrong size, DatasetMissing without the photograph.
    """
    if name in PHOTOS:
        if size is not None:
            raise ValueError(f"the image {name} has its own size; remove `size`")
        return PHOTOS[name]()
    if name != "noise" and name not in PATTERNS:
        known = ", ".join(["noise", *PATTERNS, *PHOTOS])
        raise ValueError(f"there is no image '{name}'; the images are {known}")
    if size is None or len(size) != 2 or min(size) < 1:
        raise ValueError(f"the image {name} needs a size [width, height], each 1 or more")
    width, height = size
    return noise(width, height, seed) if name == "noise" else PATTERNS[name](width, height)


# ------------------------------------------------------------------------------ masks

ANDO3 = [[-0.112737, 0.0, 0.112737], [-0.274526, 0.0, 0.274526], [-0.112737, 0.0, 0.112737]]
ANDO5 = [
    [-0.003776, -0.010199, 0.0, 0.010199, 0.003776],
    [-0.026786, -0.070844, 0.0, 0.070844, 0.026786],
    [-0.046548, -0.122572, 0.0, 0.122572, 0.046548],
    [-0.026786, -0.070844, 0.0, 0.070844, 0.026786],
    [-0.003776, -0.010199, 0.0, 0.010199, 0.003776],
]


def exponential(x: float) -> float:
    """exp(x) for 0 <= x <= 700, in the same steps as mask.c, which give the same bits."""
    halvings = 0
    while x > 0.5:
        x *= 0.5
        halvings += 1
    term = total = 1.0
    for k in range(1, 20):
        term *= x
        term /= k
        total += term
    for _ in range(halvings):
        total *= total
    return total


def gaussian(radius: int, sigma: float) -> F32:
    """(2r+1) x (2r+1), of sum 1: the bits of mask_gaussian() in labs/runtime/mask.h."""
    twice = 2.0 * sigma
    twice *= sigma

    def weight(d: int) -> float:
        x = d * d / twice if d else 0.0
        return 0.0 if x > 700.0 else 1.0 / exponential(x)

    line = [weight(abs(d)) for d in range(-radius, radius + 1)]
    products = [x * y for y in line for x in line]
    total = 0.0
    for product in products:
        total += product
    size = 2 * radius + 1
    return np.array([p / total for p in products], dtype=np.float32).reshape(size, size)


def random(radius: int, seed: int) -> F32:
    """(2r+1) x (2r+1), of sum 1: the bits of mask_random() in labs/runtime/mask.h."""
    size = 2 * radius + 1
    u = uniform(seed, 0, size * size)
    return np.asarray(u / u.sum(), dtype=np.float32).reshape(size, size)


def mask(name: str, seed: int) -> F32:
    """A mask, size x size, or a bank of masks, n x size x size.

    ando3, ando5, gaussian17 (radius 8, sigma 3), impulse3 (the identity), random<size>, and
    bank<n>x<size>, whose i-th mask is random<size> of seed + i. Sizes are odd, 1 to 17 for a bank
    and 1 to 255 for a single mask (the C function mask_random() stops at 17).
    """
    fixed: dict[str, Callable[[], F32]] = {
        "ando3": lambda: np.array(ANDO3, dtype=np.float32),
        "ando5": lambda: np.array(ANDO5, dtype=np.float32),
        "gaussian17": lambda: gaussian(8, 3.0),
        "impulse3": lambda: impulse(3, 3),
    }
    if name in fixed:
        return fixed[name]()
    match = re.fullmatch(r"(?:random|bank([1-9][0-9]?)x)([1-9][0-9]{0,2})", name)
    largest = 17 if match and match[1] else 255
    if match is None or int(match[2]) % 2 == 0 or int(match[2]) > largest:
        known = ", ".join(fixed)
        raise ValueError(
            f"there is no mask '{name}'; the masks are {known}, random13, bank4x13 ..."
        )
    radius = int(match[2]) // 2
    if match[1] is None:
        return random(radius, seed)
    return np.stack([random(radius, seed + i) for i in range(int(match[1]))])


# ------------------------------------------------------------------------------ files


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """`with replaced(path) as file`: the new file appears when it is complete, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        os.chmod(temporary, 0o644)
        os.rename(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def manifest() -> dict[str, Any]:
    """manifest.toml: `photograph`, and `sha256` of what is computed, by its recipe."""
    with (HERE / "manifest.toml").open("rb") as file:
        return tomllib.load(file)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fetch() -> str | None:
    """Downloads the photograph unless it is there. Returns an error message, or None."""
    entry = manifest()["photograph"]
    if PHOTO.exists() and sha256(PHOTO.read_bytes()) == entry["sha256"]:
        return None
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        # The same wheel on every machine, so that one hash pins it.
        platform = ["--platform", "manylinux_2_28_x86_64", "--python-version", "3.11"]
        platform += ["--implementation", "cp", "--abi", "cp311", "--only-binary", ":all:"]
        pip = [sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
        pinned = ["--quiet", "--no-deps", "--require-hashes", "-r", str(HERE / "photo.lock")]
        completed = subprocess.run(
            [*pip, "download", *pinned, *platform, "-d", folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        wheels = list(Path(folder).glob("*.whl"))
        if completed.returncode != 0 or len(wheels) != 1:
            sys.stderr.write(completed.stdout.decode(errors="replace"))
            return "pip could not download scikit-image from PyPI; check the network connection"
        with zipfile.ZipFile(wheels[0]) as wheel:
            member = wheel.getinfo("skimage/data/coffee.png")
            data = wheel.read(member) if member.file_size == entry["bytes"] else b""
    if sha256(data) != entry["sha256"]:
        return "the photograph in the package is not the one in datasets/manifest.toml"
    with replaced(PHOTO) as file:
        file.write(data)
    return None


def computed(recipe: str) -> bytes:
    """The bytes that a recipe gives: "image NAME W H SEED", "mask NAME SEED"."""
    what, name, *numbers = recipe.split()
    if what == "mask":
        return mask(name, int(numbers[0])).astype("<f4").tobytes()
    *size, seed = (int(number) for number in numbers)
    return image(name, size or None, seed).astype("<f4").tobytes()


def check() -> int:
    """Compares everything with the manifest's hashes. Returns the number of differences.

    Without the photograph, it and what is made of it are reported as absent, which is no
    difference.
    """
    expected = manifest()
    wanted = {PHOTO.name: expected["photograph"]["sha256"], **expected["sha256"]}
    differences = 0
    for name, hash_ in wanted.items():
        try:
            digest = sha256(PHOTO.read_bytes() if name == PHOTO.name else computed(name))
        except (FileNotFoundError, DatasetMissing):
            print(f"absent  {name}")
            continue
        differences += digest != hash_
        print(f"ok      {name}" if digest == hash_ else f"DIFFERS {name}: {digest}")
    return differences


def main() -> int:
    parser = argparse.ArgumentParser(description="The images and masks of the labs.")
    parser.add_argument("--fetch", action="store_true", help="download the photograph from PyPI")
    parser.add_argument("--check", action="store_true", help="compare with manifest.toml")
    arguments = parser.parse_args()
    if not (arguments.fetch or arguments.check):
        parser.error("give --fetch or --check")
    try:
        if arguments.fetch and (problem := fetch()):
            print(problem, file=sys.stderr)
            return 3
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        print(f"{FOLDER}: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130
    return 1 if arguments.check and check() else 0


if __name__ == "__main__":
    sys.exit(main())
