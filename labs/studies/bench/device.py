"""A device seen from Python: memory, a clock and slots for images (device.cu, through ctypes).

PyTorch and CuPy see the same memory by __cuda_array_interface__, in the same process and the same
context of CUDA, so that all programs work on the same images.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from labs.studies.bench import sides
from labs.studies.bench.arguments import Arguments
from labs.studies.bench.work import Array, Work

SLOTS = 4  # images in turn: 4 inputs and outputs of 64 MB are ten times the L2 cache of an H200
FEW, LARGE = 2, 1 << 30  # slots of images and outputs larger than that


def open_device() -> Device:
    """The GPU."""
    sides.make("bench-device", *sides.architecture())
    return Device(ctypes.CDLL(str(sides.FOLDER / "gpu" / "device.so")), simulated=False)


class DeviceError(Exception):
    """A CUDA call failed."""


@dataclass(frozen=True)
class View:
    """An array in the device's memory, as PyTorch and CuPy accept it."""

    address: int
    shape: tuple[int, ...]
    type: str  # such as "<f4"

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        data = (self.address, False)
        return {"data": data, "shape": self.shape, "typestr": self.type, "version": 3}


class Device:
    """A GPU, or the simulator in a shared object."""

    def __init__(self, library: ctypes.CDLL, simulated: bool) -> None:
        self.library, self.simulated = library, simulated

    def call(self, name: str, *arguments: Any) -> None:
        if (error := self.library[name](*arguments)) != 0:
            raise DeviceError(f"{name}() returned the CUDA error {error}")

    def allocate(self, size: int) -> int:
        memory = ctypes.c_void_p()
        self.call("device_allocate", ctypes.c_size_t(size), ctypes.byref(memory))
        return memory.value or 0

    def free(self, address: int) -> None:
        self.call("device_free", ctypes.c_void_p(address))

    def write(self, address: int, array: Array) -> None:
        source = ctypes.c_void_p(array.ctypes.data)
        self.call("device_write", ctypes.c_void_p(address), source, ctypes.c_size_t(array.nbytes))

    def read(self, address: int, shape: tuple[int, ...], kind: np.dtype[Any]) -> Array:
        array = np.empty(shape, kind)
        target = ctypes.c_void_p(array.ctypes.data)
        self.call("device_read", target, ctypes.c_void_p(address), ctypes.c_size_t(array.nbytes))
        return array

    def poison(self, address: int, size: int) -> None:
        self.call("device_poison", ctypes.c_void_p(address), ctypes.c_size_t(size))

    def copier(self, to: int, written: int, source: int, read: int) -> Callable[[], object]:
        """A call that moves so many bytes within the device."""
        sizes = ctypes.c_size_t(written), ctypes.c_size_t(read)
        target, origin = ctypes.c_void_p(to), ctypes.c_void_p(source)
        return lambda: self.call("device_copy", target, sizes[0], origin, sizes[1])

    def rate(self, kind: str) -> float:
        """Multiply-adds a second: kind is "float", "double" or "tensor". The simulator would take
        minutes."""
        if self.simulated:
            return 0.0
        rate = ctypes.c_double()
        self.call(f"device_{kind}_rate", ctypes.byref(rate))
        return rate.value

    def wait(self) -> None:
        self.call("device_wait")

    def clock(self, call: Callable[[], object], count: int) -> float:
        """Nanoseconds on the device for each of `count` calls that are queued one after the other,
        so that the time to launch a call passes while the one before it runs."""
        ns = ctypes.c_double()
        self.wait()
        self.call("device_begin")
        for _ in range(count):
            call()
        self.call("device_end", ctypes.byref(ns))
        return ns.value / count

    def wall_clock(self, call: Callable[[], object], count: int) -> float:
        """The same on the host's clock, for functions that copy from and to its memory."""
        self.wait()
        start = time.perf_counter_ns()
        for _ in range(count):
            call()
        self.wait()
        return (time.perf_counter_ns() - start) / count


class Images:
    """The images of a work on a device, in several slots: when one is used again, it is in no cache
    any more. Frees them at the end of the block."""

    def __init__(self, device: Device, work: Work, slots: int = 0) -> None:
        """slots: how many; 0: as many as the size of the images allows."""
        self.device, self.work = device, work
        self.slots = slots or (SLOTS if work.image.nbytes + work.out_bytes < LARGE else FEW)
        self.memory: list[int] = []
        self.host = Arguments(work)
        self.mask = self._filled(work.mask)
        self.inputs = [self._filled(work.image) for _ in range(self.slots)]
        self.outputs = [self._allocate(work.out_bytes) for _ in range(self.slots)]
        self.between = self._allocate(work.out_bytes)

    def __enter__(self) -> Images:
        return self

    def __exit__(self, *_: object) -> None:
        for address in self.memory:
            self.device.free(address)

    def _allocate(self, size: int) -> int:
        self.memory.append(self.device.allocate(size))
        return self.memory[-1]

    def _filled(self, array: Array) -> int:
        address = self._allocate(array.nbytes)
        self.device.write(address, np.ascontiguousarray(array))
        return address

    def values(self, slot: int) -> dict[str, Any]:
        """The arguments of a call on a slot."""
        addresses = {
            "image": self.inputs[slot],
            "out": self.outputs[slot],
            "mask": self.mask,
            "between": self.between,
        }
        pointers = {name: ctypes.c_void_p(address) for name, address in addresses.items()}
        return self.host.common | pointers

    def input(self, slot: int) -> View:
        return View(self.inputs[slot], self.work.image.shape, self.work.image.dtype.str)

    def output(self, slot: int) -> View:
        return View(self.outputs[slot], self.work.out_shape, self.work.image.dtype.str)

    def mask_view(self) -> View:
        return View(self.mask, self.work.mask.shape, self.work.mask.dtype.str)

    def result(self, slot: int) -> Array:
        """What is in the output of a slot."""
        self.device.wait()
        return self.device.read(self.outputs[slot], self.work.out_shape, self.work.image.dtype)

    def poison(self, slot: int) -> None:
        self.device.poison(self.outputs[slot], self.work.out_bytes)
