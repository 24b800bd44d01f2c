"""The arguments of the labs' functions by their names, and the calls that they make."""

import ctypes
from typing import Any

import numpy as np

from labs.studies.bench.sides import Weights
from labs.studies.bench.work import Array, Work

CHUNKS = 16  # sections of lab 8's streamed copy


def pointer(array: Array) -> ctypes.c_void_p:
    """The address of an array, which must outlive it."""
    return ctypes.c_void_p(array.ctypes.data)


class Arguments:
    """What all calls of a work share: sizes, and the masks in the host's memory."""

    def __init__(self, work: Work) -> None:
        height, width = work.out_shape[-2:]
        grey = work.operation == "grey"
        planes = 1 if grey else [1, *work.image.shape][-3]
        self.arrays = _masks(work)
        self.common: dict[str, Any] = {
            "width": ctypes.c_int(width),
            "height": ctypes.c_int(height),
            "pixels": ctypes.c_size_t(width * height),
            "channels": ctypes.c_int(planes),
            "masks": ctypes.c_int(work.out_shape[0]),
            "radius": ctypes.c_int(work.radius),
            "border": ctypes.c_int(work.border),
            "weights": Weights(*(int(one) for one in work.mask)) if grey else Weights(),
            "chunks": ctypes.c_int(CHUNKS),
            "stream": ctypes.c_void_p(None),
        }
        self.common |= {name: pointer(array) for name, array in self.arrays.items()}


def _masks(work: Work) -> dict[str, Array]:
    """The mask as the functions of the labs take it from the host's memory."""
    masks = {"h_mask": np.ascontiguousarray(work.mask)}
    pair = work.mask if work.operation == "lines" else work.factors
    if pair is not None:
        masks |= {"h_column": pair[0].copy(), "h_row": pair[1].copy()}
        masks["h_plane"] = np.outer(pair[0], pair[1])
    elif work.operation == "correlate" and len(work.mask) == 1:  # a row alone
        column = np.zeros_like(work.mask[0])
        column[work.radius] = 1
        masks |= {"h_column": column, "h_row": work.mask[0].copy()}
        masks["h_plane"] = np.outer(column, work.mask[0])
    return masks
