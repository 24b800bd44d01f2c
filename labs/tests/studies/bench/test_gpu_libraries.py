"""What PyTorch and CuPy are asked to do, with stand-ins for both on NumPy: the right work, on the
images of the slot whose turn it is. The libraries themselves need a GPU."""

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

from labs.studies.bench import gpu_libraries, work
from labs.studies.bench.gpu_libraries import CuPy, Torch
from labs.studies.bench.verify import Verifier
from labs.studies.bench.work import Array, Work


class Tensor(np.ndarray[Any, Any]):
    """The methods of torch.Tensor that are used."""

    def contiguous(self) -> Any:
        return np.ascontiguousarray(self).view(Tensor)

    def repeat(self, *times: Any) -> Any:
        return np.tile(np.asarray(self), times).view(Tensor)

    def data_ptr(self) -> int:
        return self.ctypes.data

    def cpu(self) -> Any:
        return self

    def numpy(self) -> Array:
        return np.asarray(self)


def conv2d(image: Any, weights: Any, padding: Any, groups: int = 1) -> Any:
    """torch.nn.functional.conv2d, as PyTorch documents it, in float64."""
    down, across = padding if isinstance(padding, tuple) else (padding, padding)
    planes = np.pad(np.asarray(image[0], np.float64), ((0, 0), (down, down), (across, across)))
    height, width = weights.shape[-2:]
    windows = np.lib.stride_tricks.sliding_window_view(planes, (height, width), axis=(1, 2))
    masks = np.asarray(weights, np.float64)
    if groups == 1:
        out = np.einsum("cyxba,ncba->nyx", windows, masks, optimize=True)
    else:
        out = np.einsum("cyxba,cba->cyx", windows, masks[:, 0], optimize=True)
    return out[None].astype(image.dtype).view(Tensor)


def as_tensor(array: Array, device: str) -> Any:
    assert device == "cuda"
    return array.view(Tensor)


def torch_stand_in() -> Any:
    cudnn = SimpleNamespace(allow_tf32=None, benchmark=False, version=lambda: 91900)
    return SimpleNamespace(
        __version__="2",
        cuda=SimpleNamespace(is_available=lambda: True),
        set_grad_enabled=lambda _: None,
        backends=SimpleNamespace(
            cudnn=cudnn, cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=None))
        ),
        as_tensor=as_tensor,
        nn=SimpleNamespace(functional=SimpleNamespace(conv2d=conv2d)),
    )


def cupy_stand_in() -> Any:
    names = ("asarray", "empty_like", "matmul", "int32", "uint8")
    runtime = SimpleNamespace(getDeviceCount=lambda: 1)
    return SimpleNamespace(
        **{name: getattr(np, name) for name in names},
        __version__="14",
        cuda=SimpleNamespace(runtime=runtime),
        fuse=lambda: lambda function: function,
    )


class Arrays:
    """Images on the host, seen as those of a device are."""

    slots = 2

    def __init__(self, computed: Work) -> None:
        self.work = computed
        self.images = [computed.image.copy() for _ in range(self.slots)]
        self.outs = [np.empty(computed.out_shape, computed.image.dtype) for _ in range(self.slots)]

    @property
    def inputs(self) -> list[int]:
        return [image.ctypes.data for image in self.images]

    def input(self, slot: int) -> Array:
        return self.images[slot]

    def output(self, slot: int) -> Array:
        return self.outs[slot]

    def mask_view(self) -> Array:
        return self.work.mask

    def poison(self, slot: int) -> None:
        self.outs[slot].view(np.uint8).fill(0xFF)

    def result(self, slot: int) -> Array:
        return self.outs[slot]


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = torch_stand_in()
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = cupy_stand_in()
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setitem(sys.modules, "cupyx", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "cupyx.scipy", SimpleNamespace(ndimage=ndimage))
    return module


MADE: dict[str, Callable[[], Work]] = {
    "correlate": lambda: work.correlate(5, 40, 50),
    "row": lambda: work.row(17, 40, 50),
    "lines": lambda: work.lines(17, 40, 50),
    "depthwise": lambda: work.depthwise(3, 20, "float64"),
    "pointwise": lambda: work.convolution(1, 5, 7, 20, "float32"),
    "convolution": lambda: work.convolution(3, 5, 7, 20, "float64"),
    "polyphase": lambda: work.polyphase(5, 40, 50),
    "grey": lambda: work.grey(40, 50),
}


@pytest.mark.parametrize("name", [n for n in MADE if n not in ("polyphase", "grey")])
def test_pytorch_is_asked_for_the_right_work(name: str, torch: Any) -> None:
    computed = MADE[name]()
    programs = Torch().programs(Arrays(computed))  # type: ignore[arg-type]
    floats = computed.type == "float32"
    assert [p.who for p in programs] == ["cuDNN", "cuDNN TF32"][: 1 + floats]
    for program in programs:
        assert Verifier(computed).error(program.result()) <= 1
        program.call()
        assert torch.backends.cudnn.allow_tf32 is program.tf32
    assert torch.backends.cudnn.benchmark is True


@pytest.mark.usefixtures("cupy")
@pytest.mark.parametrize("name", [n for n in MADE if n not in ("polyphase", "convolution")])
def test_cupy_is_asked_for_the_right_work(name: str) -> None:
    computed = MADE[name]()
    images = Arrays(computed)
    (program,) = CuPy().programs(images)  # type: ignore[arg-type]
    assert Verifier(computed).error(program.result()) <= 1
    images.poison(1)
    computed_there = program.call()  # on the other slot
    if name == "grey":
        assert np.array_equal(computed_there, images.outs[0])  # type: ignore[arg-type]
        return
    assert Verifier(computed).error(images.outs[1]) <= 1


@pytest.mark.usefixtures("torch", "cupy")
def test_libraries_offer_only_supported_work() -> None:
    assert Torch().programs(Arrays(MADE["polyphase"]())) == []  # type: ignore[arg-type]
    assert Torch().programs(Arrays(MADE["grey"]())) == []  # type: ignore[arg-type]
    assert CuPy().programs(Arrays(MADE["polyphase"]())) == []  # type: ignore[arg-type]
    assert CuPy().programs(Arrays(MADE["convolution"]())) == []  # type: ignore[arg-type]


def test_a_library_that_cannot_be_used_is_named_with_the_reason(
    cupy: Any, torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cupy.cuda.runtime.getDeviceCount = lambda: 0
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu_libraries.available() == (
        {},
        {"cuDNN": "ImportError: PyTorch sees no GPU", "CuPy": "ImportError: CuPy sees no GPU"},
    )
    monkeypatch.setitem(sys.modules, "torch", None)
    _, missing = gpu_libraries.available()
    assert missing["cuDNN"].startswith("ModuleNotFoundError: ")
