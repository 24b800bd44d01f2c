"""Images and masks: the manifest's hashes, the C library's bits, and the errors."""

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from datasets import generate, stream
from datasets.missing import DatasetMissing
from grader.tests import captured

ROOT = Path(__file__).resolve().parents[3]

C_PROGRAM = """
#include "io/image.h"
#include "mask.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    float mask[MASK_MAX_SIZE], *pixels;
    int width, height;
    char error[256];
    for (int r = 0; r <= MASK_MAX_RADIUS; r++) {
        size_t n = (size_t)(2 * r + 1) * (size_t)(2 * r + 1);
        mask_gaussian(r, 3.0, mask);
        fwrite(mask, sizeof *mask, n, stdout);
        mask_random(r, 18446744073709551615u - (unsigned)r, mask);
        fwrite(mask, sizeof *mask, n, stdout);
    }
    fwrite(mask_ando3, sizeof *mask, 9, stdout);
    fwrite(mask_ando5, sizeof *mask, 25, stdout);
    if (argc > 1) {
        if (image_read(argv[1], &pixels, &width, &height, error, sizeof error) != 0) {
            fputs(error, stderr);
            return 1;
        }
        fwrite(pixels, sizeof *pixels, (size_t)width * (size_t)height, stdout);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def c_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bits")
    (folder / "bits.c").write_text(C_PROGRAM)
    common = ROOT / "labs" / "runtime"
    sources = [str(common / f"{name}.c") for name in ("mask", "io/image", "io/stb", "io/file")]
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O2", f"-I{common}", "-lm"]
    subprocess.run(["gcc", "bits.c", *sources, *flags, "-o", "bits"], cwd=folder, check=True)
    return folder / "bits"


def test_masks_have_the_bits_of_the_c_library(c_program: Path) -> None:
    want = b""
    for radius in range(9):
        want += generate.gaussian(radius, 3.0).tobytes()
        want += generate.random(radius, 2**64 - 1 - radius).tobytes()
    want += generate.mask("ando3", 0).tobytes() + generate.mask("ando5", 0).tobytes()
    assert subprocess.run([c_program], capture_output=True, check=True).stdout == want


def test_photograph_equals_that_of_the_c_library(c_program: Path) -> None:
    stdout = subprocess.run([c_program, generate.PHOTO], capture_output=True, check=True).stdout
    want = generate.image("photo", None, 0).tobytes()
    assert stdout[-len(want) :] == want


def test_manifest_matches_the_datasets(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.check() == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("ok ") for line in lines) >= 10
    manifest = generate.manifest()
    assert manifest["photograph"]["origin"] and manifest["photograph"]["licence"]
    assert all(len(digest) == 64 for digest in manifest["sha256"].values())


def test_a_wrong_hash_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = {**generate.manifest(), "sha256": {"mask ando3 0": "0" * 64}}
    monkeypatch.setattr(generate, "manifest", lambda: manifest)
    assert generate.check() == 1
    assert "\nDIFFERS mask ando3 0: " in capsys.readouterr().out


def test_splitmix64_is_the_published_one() -> None:
    numbers = stream.splitmix64(1234567, 0, 5)
    assert [int(n) for n in numbers] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert np.array_equal(stream.splitmix64(1234567, 3, 2), numbers[3:])


def test_noise_is_uniform_and_seeded() -> None:
    f = generate.image("noise", (311, 211), 7)
    assert f.shape == (211, 311)
    assert f.dtype == np.float32
    assert 0.0 < f.min() < 1e-3
    assert 0.999 < f.max() <= 1.0
    assert abs(float(f.mean()) - 0.5) < 0.01
    assert np.array_equal(f, generate.image("noise", [311, 211], 7))
    assert not np.array_equal(f, generate.image("noise", [311, 211], 8))
    neighbours = np.corrcoef(f[:, :-1].ravel(), f[:, 1:].ravel())[0, 1]
    assert abs(neighbours) < 0.02


def test_noise_and_a_mask_of_the_same_seed_do_not_repeat_each_other() -> None:
    f = generate.image("noise", (13, 13), 5)
    g = generate.mask("random13", 5)
    assert not np.allclose(f / f.sum(), g)


def test_small_patterns_have_exact_values() -> None:
    ramp = generate.image("ramp", (3, 2), 0)
    assert np.array_equal(
        ramp, np.array([[0, 1, 2], [100, 101, 102]], dtype=np.float32) / np.float32(102)
    )
    assert generate.image("ramp", (1, 1), 0).tolist() == [[0.0]]
    impulse = generate.image("impulse", (4, 3), 0)
    assert impulse.sum() == 1.0
    assert impulse[1, 2] == 1.0
    board = generate.image("checkerboard", (17, 9), 0)
    assert board[0, 0] == board[8, 8] == board[0, 16] == 0.0
    assert board[0, 8] == board[8, 0] == board[7, 15] == 1.0


def test_masks_have_exact_values() -> None:
    bank = generate.mask("bank4x13", 9)
    assert bank.shape == (4, 13, 13)
    assert np.array_equal(bank[2], generate.mask("random13", 11))
    assert abs(float(generate.mask("gaussian17", 0).sum(dtype=np.float64)) - 1.0) < 1e-6
    assert generate.mask("impulse3", 0).tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert generate.mask("random1", 3).tolist() == [[1.0]]
    large = generate.mask("random153", 3)
    assert large.shape == (153, 153)
    assert abs(float(large.sum(dtype=np.float64)) - 1.0) < 1e-6


@pytest.mark.parametrize(
    "name", ["random12", "random257", "random", "bank0x3", "bank4x", "bank4x19", "sobel"]
)
def test_unknown_masks_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"no mask '{name}'"):
        generate.mask(name, 0)


@pytest.mark.parametrize(
    ("name", "size", "why"),
    [
        ("lena", (3, 3), "no image 'lena'"),
        ("noise", None, "needs a size"),
        ("noise", (0, 3), "needs a size"),
        ("ramp", (3,), "needs a size"),
        ("photo", (600, 400), "has its own size"),
    ],
)
def test_impossible_images_are_refused(name: str, size: tuple[int, ...] | None, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        generate.image(name, size, 0)


def test_photographs_have_their_shapes_and_ranges() -> None:
    small = generate.image("photo", None, 0)
    large = generate.image("photo_1080p", None, 0)
    assert small.shape == (400, 600)
    assert large.shape == (1080, 1920)
    assert 0.0 <= large.min() < 0.05
    assert 0.95 < large.max() <= 1.0
    # Blocks of 120 output pixels cover 37 pixels of the crop exactly: the means agree.
    crop = small[33:366, 4:596]
    blocks = large.reshape(9, 120, 16, 120).mean(axis=(1, 3), dtype=np.float64)
    want = crop.reshape(9, 37, 16, 37).mean(axis=(1, 3), dtype=np.float64)
    assert np.abs(blocks - want).max() < 0.01


@pytest.mark.parametrize("name", ["photo", "photo_1080p"])
def test_a_missing_photograph_says_what_to_do(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "PHOTO", tmp_path / "coffee.png")
    with pytest.raises(DatasetMissing, match=r"\./grade setup"):
        generate.image(name, None, 0)
    (tmp_path / "coffee.png").write_bytes(b"half a picture")
    with pytest.raises(DatasetMissing, match=r"\./grade setup"):
        generate.image(name, None, 0)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes packages from instead of PyPI, and a place for the photograph."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.setattr(generate, "FOLDER", tmp_path / "datasets")
    monkeypatch.setattr(generate, "PHOTO", tmp_path / "datasets" / "coffee.png")
    monkeypatch.setattr(generate, "HERE", tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    return folder


def stock(shop: Path, picture: bytes, promised: bytes) -> None:
    """Puts a package with `picture` into the shop; the manifest promises `promised`."""
    wheel = shop / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("skimage/data/coffee.png", picture)
        file.writestr(
            "tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n"
        )
        file.writestr(
            "tiny-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        file.writestr("tiny-1.0.dist-info/RECORD", "")
    digest = generate.sha256(wheel.read_bytes())
    (shop.parent / "photo.lock").write_text(f"tiny==1.0 --hash=sha256:{digest}\n")
    (shop.parent / "manifest.toml").write_text(
        f'[photograph]\nbytes = {len(promised)}\nsha256 = "{generate.sha256(promised)}"\n'
    )


def test_fetch_downloads_once(shop: Path) -> None:
    stock(shop, b"a picture", b"a picture")
    assert generate.fetch() is None
    assert generate.PHOTO.read_bytes() == b"a picture"
    # Nothing else is left behind, and the second time nothing is asked for.
    assert [path.name for path in generate.FOLDER.iterdir()] == ["coffee.png"]
    (shop / "tiny-1.0-py3-none-any.whl").unlink()
    assert generate.fetch() is None


@pytest.mark.parametrize("picture", [b"b picture", b"a picture and more"])
def test_picture_with_wrong_hash_is_refused(shop: Path, picture: bytes) -> None:
    stock(shop, picture, b"a picture")
    assert "not the one" in str(generate.fetch())
    assert list(generate.FOLDER.iterdir()) == []


def test_package_with_wrong_hash_is_refused(shop: Path) -> None:
    stock(shop, b"a picture", b"a picture")
    with (shop / "tiny-1.0-py3-none-any.whl").open("ab") as wheel:
        wheel.write(b"!")
    assert "could not download" in str(generate.fetch())
    assert list(generate.FOLDER.iterdir()) == []


def test_program_refuses_unknown_arguments() -> None:
    program = [sys.executable, str(ROOT / "datasets" / "generate.py")]
    completed = captured.run([*program, "lena"])
    assert completed.returncode == 2
    assert "lena" in completed.stderr
