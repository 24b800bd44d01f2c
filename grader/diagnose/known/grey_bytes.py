"""From which three bytes a grey value was made, where a vector takes wrong ones (lab 8)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

from grader.diagnose.mistake import Mistake
from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected
from grader.oracle.grayscale import Triple

Bytes = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]

VECTORS = (4, 8, 16, 32)  # pixels that are converted together
MOST = 64  # vectors in which the bytes are looked for
LEAST = 8  # of them: fewer may agree by chance


@dataclass(frozen=True)
class _Vectors:
    """The whole vectors of an image: their bytes, and what the program made of them."""

    bytes_: I64  # number of vectors x 3 * pixels
    got: I64  # number of vectors x pixels
    weights: Triple

    def made(self, three: Triple) -> I64:
        """The grey of those three bytes of each vector."""
        r, g, b = (self.bytes_[:, i] * w for i, w in zip(three, self.weights, strict=True))
        return np.asarray((r + g + b + 16384) >> 15)

    def first(self) -> "_Vectors":
        return _Vectors(self.bytes_[:MOST], self.got[:MOST], self.weights)

    def three(self, place: int) -> Triple | None:
        """The bytes from which the pixel at that place of each vector was made."""
        tried = _triples(self.got.shape[1], place)
        return next((t for t in tried if (self.made(t) == self.got[:, place]).all()), None)


def wrong_bytes(image: Bytes, weights: Triple, comparison: Comparison) -> Iterator[Mistake]:
    """Pixels at some places of each vector are made from the wrong bytes of it."""
    right, wrong = comparison.expected.value.reshape(-1), comparison.wrong.reshape(-1)
    for vector in VECTORS:
        count = right.size // vector
        if count < LEAST:
            return
        whole = count * vector
        vectors = _Vectors(
            image.reshape(-1)[: 3 * whole].reshape(count, -1).astype(np.int64),
            comparison.got.reshape(-1)[:whole].reshape(count, -1).astype(np.int64),
            weights,
        )
        places = np.flatnonzero(wrong[:whole].reshape(count, -1).any(axis=0))
        few = vectors.first()
        found = {int(place): few.three(int(place)) for place in places}
        three = next(iter(found.values()), None)
        if not found or three is None or None in found.values():
            continue
        value = right.copy().astype(np.float64)
        for place, bytes_ in found.items():
            value[place:whole:vector] = vectors.made(bytes_) if bytes_ else np.nan
        place = next(iter(found))
        output = Expected(value.reshape(comparison.got.shape), np.zeros(comparison.got.shape))
        yield Mistake(
            "wrong-order",
            f"in pixel {place} of every {vector}: it is made from the bytes {_list(three)} of "
            f"the {3 * vector}, counted from 0, and needs "
            f"{_list(range(3 * place, 3 * place + 3))}",
            partial(_given, output),
        )


def _given(output: Expected) -> Expected:
    return output


def _triples(vector: int, place: int) -> Iterator[Triple]:
    """What may have been taken, the nearest to what is right first: three neighbours in any order
    and, in a vector of 4 pixels, any three of its bytes."""
    starts = sorted(range(3 * vector - 2), key=lambda start: abs(start - 3 * place))
    for start in starts:
        yield from ((start + a, start + b, start + c) for a, b, c in permutations(range(3)))
    if vector == VECTORS[0]:
        yield from product(range(3 * vector), repeat=3)


def _list(numbers: Triple | range) -> str:
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}"
