"""OpenCV, SciPy and libyuv on images in ordinary memory."""

import ctypes
import ctypes.util
from collections.abc import Callable
from typing import Any

import numpy as np

from labs.studies.bench.arguments import pointer
from labs.studies.bench.case import Program
from labs.studies.bench.host import HostImages
from labs.studies.bench.work import JPEG, WEIGHTS, Array

# OpenCV filters with a mask of so many taps or more by a Fourier transform.
FOURIER_TAPS = 130


def _program(who: str, images: HostImages, call: Callable[[], object], note: str = "") -> Program:
    def result() -> Array:
        images.poison(0)
        call()
        return images.out

    return Program(who, call, result, note=note)


class OpenCV:
    """OpenCV of the package index. For large masks also its direct filter, which it would not use
    itself."""

    def __init__(self) -> None:
        import cv2

        self.cv2: Any = cv2
        self.threads(1)

    def versions(self) -> dict[str, str]:
        return {"OpenCV": str(self.cv2.__version__)}

    def threads(self, count: int) -> None:
        self.cv2.setNumThreads(count)

    def programs(self, images: HostImages) -> list[Program]:
        cv2, work = self.cv2, images.work
        image, out, mask = images.image, images.out, work.mask
        if work.operation == "grey":
            if tuple(work.mask) != WEIGHTS:
                return []
            call = lambda: cv2.cvtColor(image, cv2.COLOR_RGB2GRAY, dst=out)  # noqa: E731
            return [_program("OpenCV", images, call)]
        if work.operation != "correlate":
            return []
        border = cv2.BORDER_CONSTANT
        if work.factors is not None:
            column, row = work.factors
            call = lambda: cv2.sepFilter2D(image, -1, row, column, dst=out, borderType=border)  # noqa: E731
            return [_program("OpenCV", images, call, "sepFilter2D")]
        call = lambda: cv2.filter2D(image, -1, mask, dst=out, borderType=border)  # noqa: E731
        if mask.size < FOURIER_TAPS:
            return [_program("OpenCV", images, call)]
        return [
            _program("OpenCV", images, call, "by a Fourier transform"),
            self._direct(images),
        ]

    def _direct(self, images: HostImages) -> Program:
        """The same filter in a region of a larger image, for which OpenCV never uses a Fourier
        transform. Only a UMat can be such a region."""
        cv2, radius = self.cv2, images.work.radius
        (height, width), mask = images.image.shape, images.work.mask
        cv2.ocl.setUseOpenCL(False)
        whole = cv2.UMat(np.pad(images.image, radius))
        region = cv2.UMat(whole, [radius, radius + height], [radius, radius + width])
        result = cv2.UMat(height, width, cv2.CV_32F)

        def call() -> object:
            return cv2.filter2D(region, -1, mask, dst=result, borderType=cv2.BORDER_CONSTANT)

        def output() -> Array:
            call()
            return np.asarray(result.get())

        return Program("OpenCV direct", call, output, note="a region of a larger image")


class SciPy:
    """scipy.ndimage, which has one thread."""

    def __init__(self) -> None:
        import scipy
        from scipy import ndimage

        self.version = str(scipy.__version__)
        self.ndimage: Any = ndimage

    def versions(self) -> dict[str, str]:
        return {"SciPy": self.version}

    def threads(self, count: int) -> None:
        del count

    def programs(self, images: HostImages) -> list[Program]:
        ndimage, work = self.ndimage, images.work
        image, out = images.image, images.out
        if work.operation != "correlate":
            return []
        if work.factors is not None:
            column, row = work.factors
            between = np.empty_like(image)

            def both() -> None:
                ndimage.correlate1d(image, row, 1, output=between, mode="constant")
                ndimage.correlate1d(between, column, 0, output=out, mode="constant")

            return [_program("SciPy", images, both)]
        call = lambda: ndimage.correlate(image, work.mask, output=out, mode="constant")  # noqa: E731
        return [_program("SciPy", images, call)]


class LibYuv:
    """The system's libyuv (Debian: libyuv0), for grey with its own weights."""

    def __init__(self) -> None:
        name = ctypes.util.find_library("yuv")
        if not name:
            raise ImportError("the system has no libyuv")
        self.name = name
        self.function = ctypes.CDLL(name)["RAWToJ400"]

    def versions(self) -> dict[str, str]:
        return {"libyuv": self.name}

    def threads(self, count: int) -> None:
        del count

    def programs(self, images: HostImages) -> list[Program]:
        if images.work.operation != "grey" or tuple(images.work.mask) != JPEG:
            return []
        height, width = images.work.out_shape
        rgb, grey = pointer(images.image), pointer(images.out)
        sizes = [ctypes.c_int(number) for number in (3 * width, width, width, height)]
        call = lambda: self.function(rgb, sizes[0], grey, *sizes[1:])  # noqa: E731
        return [_program("libyuv", images, call)]


Library = OpenCV | SciPy | LibYuv
LIBRARIES: dict[str, Callable[[], Library]] = {"OpenCV": OpenCV, "SciPy": SciPy, "libyuv": LibYuv}


def available() -> tuple[dict[str, Library], dict[str, str]]:
    """The libraries that are installed, and why the others cannot be used."""
    found: dict[str, Library] = {}
    missing: dict[str, str] = {}
    for name, library in LIBRARIES.items():
        try:
            found[name] = library()
        except ImportError as problem:
            missing[name] = f"{type(problem).__name__}: {problem}".splitlines()[0]
    return found, missing
