"""cuDNN through PyTorch, and CuPy, on the images of a device.

Each is offered a work and answers with a program, or with None for a work that it has no function
for. A library that cannot be used is named with the reason.
"""

from collections.abc import Callable
from typing import Any

from labs.studies.bench import sides
from labs.studies.bench.case import Program
from labs.studies.bench.device import Images
from labs.studies.bench.work import WEIGHTS, Array, Work


class Torch:
    """cuDNN's convolutions, with the algorithm that it measures to be the fastest for a shape."""

    def __init__(self) -> None:
        import torch

        if not torch.cuda.is_available():
            raise ImportError("PyTorch sees no GPU")
        torch.set_grad_enabled(False)
        torch.backends.cudnn.benchmark = True
        torch.backends.cuda.matmul.allow_tf32 = False
        self.torch: Any = torch

    def versions(self) -> dict[str, str]:
        cudnn = self.torch.backends.cudnn.version()
        return {"PyTorch": str(self.torch.__version__), "cuDNN": str(cudnn)}

    def programs(self, images: Images) -> list[Program]:
        """Without TF32, and for floats with it."""
        kinds = [False, True] if images.work.type == "float32" else [False]
        found = [self._program(images, tf32) for tf32 in kinds]
        return [program for program in found if program]

    def _program(self, images: Images, tf32: bool) -> Program | None:
        work, torch = images.work, self.torch
        convolve = self._convolution(work, torch.as_tensor(images.mask_view(), device="cuda"))
        if convolve is None:
            return None
        inputs = [
            torch.as_tensor(images.input(slot), device="cuda").reshape(_planes(work))
            for slot in range(images.slots)
        ]
        assert inputs[0].data_ptr() == images.inputs[0]  # no copy

        def call(image: Any) -> Any:
            torch.backends.cudnn.allow_tf32 = tf32
            return convolve(image)

        def result() -> Array:
            array: Array = call(inputs[0]).cpu().numpy().reshape(work.out_shape)
            return array

        who = "cuDNN TF32" if tf32 else "cuDNN"
        note = "PyTorch's own kernel, not cuDNN" if work.operation == "depthwise" else ""
        calls = [lambda image=image: call(image) for image in inputs]
        return Program(who, sides.rotate(calls), result, tf32=tf32, note=note)

    def _convolution(self, work: Work, mask: Any) -> Callable[[Any], Any] | None:
        """The function of an image that does the work."""
        conv2d = self.torch.nn.functional.conv2d
        if work.operation == "lines":
            column = mask[0].reshape(1, 1, -1, 1).contiguous()
            row = mask[1].reshape(1, 1, 1, -1).contiguous()
            r = work.radius
            return lambda image: conv2d(conv2d(image, row, padding=(0, r)), column, padding=(r, 0))
        if work.operation == "correlate":
            height, width = work.mask.shape
            weights = mask.reshape(1, 1, height, width)
            return lambda image: conv2d(image, weights, padding=(height // 2, width // 2))
        if work.operation == "depthwise":
            count = work.image.shape[0]
            weights = mask.reshape(1, 1, 3, 3).repeat(count, 1, 1, 1)
            return lambda image: conv2d(image, weights, padding=1, groups=count)
        if work.operation == "convolution":
            return lambda image: conv2d(image, mask, padding=work.radius)
        return None


def _planes(work: Work) -> tuple[int, ...]:
    """The shape of the image as PyTorch takes it: 1 x channels x height x width."""
    shape = work.image.shape
    return (1, *shape) if len(shape) == 3 else (1, 1, *shape)


class CuPy:
    """cupyx.scipy.ndimage, cuBLAS for masks of one pixel, and a fused expression for grey."""

    def __init__(self) -> None:
        import cupy
        from cupyx.scipy import ndimage

        if cupy.cuda.runtime.getDeviceCount() < 1:
            raise ImportError("CuPy sees no GPU")
        self.cupy: Any = cupy
        self.ndimage: Any = ndimage

    def versions(self) -> dict[str, str]:
        return {"CuPy": str(self.cupy.__version__)}

    def programs(self, images: Images) -> list[Program]:
        mask = self.cupy.asarray(images.mask_view())
        pairs = [
            (self.cupy.asarray(images.input(slot)), self.cupy.asarray(images.output(slot)))
            for slot in range(images.slots)
        ]
        filtered = self._filter(images, mask)
        if filtered is None:
            return []

        def result() -> Array:
            images.poison(0)
            image, out = pairs[0]
            computed = filtered(image, out)
            if images.work.operation == "grey":
                out[...] = computed
            return images.result(0)

        calls = [lambda pair=pair: filtered(*pair) for pair in pairs]
        return [Program("CuPy", sides.rotate(calls), result)]

    def _filter(self, images: Images, mask: Any) -> Callable[[Any, Any], Any] | None:
        """The function of an image and an output that does the work. That of grey returns a new
        array, as the expression does for everyone who writes it."""
        work, ndimage = images.work, self.ndimage
        if work.operation == "lines":
            between = self.cupy.empty_like(self.cupy.asarray(images.output(0)))

            def both(image: Any, out: Any) -> None:
                ndimage.correlate1d(image, mask[1], 1, output=between, mode="constant")
                ndimage.correlate1d(between, mask[0], 0, output=out, mode="constant")

            return both
        if work.operation in ("correlate", "depthwise"):
            weights = mask if work.operation == "correlate" else mask.reshape(1, 3, 3)
            return lambda image, out: ndimage.correlate(image, weights, output=out, mode="constant")
        if work.operation == "convolution" and work.mask.shape[-1] == 1:
            masks, channels = work.mask.shape[:2]
            bank = mask.reshape(masks, channels)
            return lambda image, out: self.cupy.matmul(
                bank, image.reshape(channels, -1), out=out.reshape(masks, -1)
            )
        return self._grey() if work.operation == "grey" else None

    def _grey(self) -> Callable[[Any, Any], Any]:
        cupy = self.cupy
        r, g, b = (cupy.int32(weight) for weight in WEIGHTS)

        @cupy.fuse()  # type: ignore[untyped-decorator]
        def weighted(red: Any, green: Any, blue: Any) -> Any:
            total = red.astype(cupy.int32) * r + green * g + blue * b + cupy.int32(16384)
            return (total >> 15).astype(cupy.uint8)

        def grey(image: Any, out: Any) -> Any:
            del out
            return weighted(image[..., 0], image[..., 1], image[..., 2])

        return grey


LIBRARIES: dict[str, Callable[[], Torch | CuPy]] = {"cuDNN": Torch, "CuPy": CuPy}


def available() -> tuple[dict[str, Torch | CuPy], dict[str, str]]:
    """The libraries that can be used, and why the others cannot."""
    found: dict[str, Torch | CuPy] = {}
    missing: dict[str, str] = {}
    for name, library in LIBRARIES.items():
        try:
            found[name] = library()
        except Exception as problem:  # noqa: BLE001 - a broken installation raises anything
            missing[name] = f"{type(problem).__name__}: {problem}".splitlines()[0]
    return found, missing
