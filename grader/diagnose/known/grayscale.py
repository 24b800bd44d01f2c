"""Mistakes on the way from colour to grey: weights, rounding, and the order of bytes (lab 8)."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from grader.diagnose import source_text
from grader.diagnose.known import grey_bytes
from grader.diagnose.known.indexing import pitches
from grader.diagnose.mistake import Mistake
from grader.model.lab import Case
from grader.oracle import compare
from grader.oracle.compare import Comparison
from grader.oracle.expected import Expected
from grader.oracle.grayscale import DECIMALS, WEIGHTS, Triple, grey, weighted
from grader.oracle.inputs import Inputs

Bytes = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]

POISON = 255  # each byte of a device's memory that has not been written
FEW = 16  # wrong pixels; what fewer show may be chance
MOST = 0.9  # of the pixels
LEAST = 3  # of them, all in the pixels that remain after vectors
MOST_THREADS = 16  # that are tried where their number is not known
SECTION = 32  # pixels, of which each thread's part has a multiple
VECTORS = (16, 32, 8, 4)  # pixels that are converted together
WORD = "check how you put four bytes into a word: the first pixel is the lowest byte"
VECTOR = "check the order of the bytes where you shuffle or pack them, and the lanes"


def mistakes(case: Case, inputs: Inputs, comparison: Comparison) -> Iterator[Mistake]:
    """The known mistakes, the likeliest first. The image is height x width x 3 bytes."""
    image, name = inputs.image, case.set["weights"]
    before = _before(case, comparison)
    on_device = case.set.get("transfer", "none") != "none"
    if on_device:
        yield _cut_off(image, WEIGHTS[name])
    yield from _unwritten(comparison, before, on_device)
    yield _exactly(
        "all-zero",
        "every pixel is 0: is the sum cut to 8 bits before it is shifted, or nothing added to it?",
        np.zeros(comparison.got.shape),
    )
    yield from _halves(image, WEIGHTS[name])
    if comparison.count() >= FEW:
        yield from _of_pixels(image, name, before)
        yield from _byte_order(image, WEIGHTS[name], comparison)
        yield from _swapped(image, comparison.expected.value)
        threads = max(1, int(case.set.get("threads", "1")))
        yield from _moved(image, WEIGHTS[name], comparison.expected.value, threads)
        yield from _written_apart(comparison, before)
        known = int(case.set.get("threads", "0"))
        yield from _of_sections(image, WEIGHTS[name], comparison, known)
        yield from _at_one_place(image, name, comparison)
    yield from _in_a_part(image, name, comparison, before)
    if comparison.count() >= FEW:
        yield from grey_bytes.wrong_bytes(image, WEIGHTS[name], comparison)


def is_saturated(comparison: Comparison) -> bool:
    """Are nearly all pixels that whole vectors convert wrong and 255? Saturation gives that,
    whatever else is wrong."""
    whole = comparison.got.size // VECTORS[0] * VECTORS[0]
    got, wrong = (array.reshape(-1)[:whole] for array in (comparison.got, comparison.wrong))
    return bool(whole >= FEW and wrong.mean() >= MOST and (got[wrong] == POISON).mean() >= MOST)


def _of_pixels(image: Bytes, name: str, before: I64) -> Iterator[Mistake]:
    """The mistakes that change the value of each pixel, wherever it lies."""
    yield from _weights(image, name)
    yield from _rounding(image, WEIGHTS[name], DECIMALS[name], before)
    yield from _signs(image, WEIGHTS[name])
    yield from _narrow(image, WEIGHTS[name])


def _in_a_part(image: Bytes, name: str, comparison: Comparison, before: I64) -> Iterator[Mistake]:
    """The same mistakes in the pixels that whole vectors convert, or only in those that remain."""
    wrong = comparison.wrong.reshape(-1)
    right = comparison.expected.value
    for vector in VECTORS:
        whole = wrong.size // vector * vector
        rest = wrong.size - whole
        if not rest or wrong[:whole].any() == wrong[whole:].any():
            continue
        in_rest = bool(wrong[whole:].any())
        part = np.arange(wrong.size) >= whole if in_rest else np.arange(wrong.size) < whole
        if wrong[part].sum() < LEAST:
            continue
        # Not how many pixels a vector has: the size of an image may fit several, and the program
        # may use another.
        last = f"the last {rest} pixels" if rest > 1 else "the last pixel"
        remain = "remain" if rest > 1 else "remains"
        words = (
            f"in {last}, which {remain} after the last whole vector"
            if in_rest
            else f"in the pixels before {last}, which {remain} after the last whole vector"
        )
        for mistake in _of_pixels(image, name, before):
            value = np.where(part.reshape(right.shape), mistake.output().value, right)
            yield _exactly(mistake.name, f"{words}: {mistake.text}", value)


def _halves(image: Bytes, weights: Triple) -> Iterator[Mistake]:
    """Values half-way between two bytes. A sum is one once in some ten thousand, so a single one
    that is as the rule says, with all others right, is no chance."""
    total = weighted(image, weights)
    half = total % 32768 == 16384
    to_even = (total >> 15) + np.where(half, total >> 15 & 1, total % 32768 > 16384)
    down = (total + 16383) >> 15
    advice = "here it is rounded up: add 16384, one half, and shift"
    even = "rounded to the even one, as lrintf() and _mm_cvtps_epi32() do"
    for value, how in (
        (to_even, even if (to_even != down).any() else f"{even}, or always rounded down"),
        (down, "rounded down"),
    ):
        text = f"a value half-way between two integers is {how}; {advice}"
        yield _exactly("rounded-half", text, value)


def _signs(image: Bytes, weights: Triple) -> Iterator[Mistake]:
    """Bytes taken for signed ones."""
    grey_values = grey(image, weights).astype(np.int64)
    yield _exactly(
        "signed-saturation",
        "values above 127 became 127: the last pack limits its result to signed bytes; use "
        "_mm_packus_epi16(), or _mm256_packus_epi16(), which saturates at 255",
        np.minimum(grey_values, 127),
    )
    signed = image.view(np.int8).astype(np.int64)
    total = sum(signed[..., i] * weights[i] for i in range(3)) + 16384
    for value in (np.clip(total >> 15, 0, 255), np.where(total < 0, 255, total >> 15)):
        yield _exactly(
            "signed-bytes",
            "bytes above 127 were taken for negative numbers: zero-extend them, do not "
            "sign-extend them",
            value,
        )


def _before(case: Case, comparison: Comparison) -> I64:
    """What the output held before the call. Where the student allocates it on a device, all bytes
    are the same."""
    size, shape = comparison.got.size, comparison.got.shape
    on_device = case.set.get("transfer", "none") != "none"
    filled = np.full(size, POISON) if on_device else compare.bytes_before(size)
    return filled.reshape(shape).astype(np.int64)


def _cut_off(image: Bytes, weights: Triple) -> Mistake:
    """As many bytes of the image were copied as it has pixels."""
    flat, pixels = image.reshape(-1), image.size // 3
    there = np.where(np.arange(flat.size) < pixels, flat, POISON).reshape(image.shape)
    text = f"only {pixels} of the image's {flat.size} bytes were copied: a pixel has 3 bytes"
    return _exactly("bytes-forgotten", text, grey(there.astype(np.uint8), weights))


def _unwritten(comparison: Comparison, before: I64, on_device: bool) -> Iterator[Mistake]:
    """Bytes that were never written. One that must be what it was before cannot be told from one
    that was written."""
    right, got = comparison.expected.value, comparison.got
    left = comparison.wrong & (got == before)
    if left.all() or (left == (right != before)).all():
        yield _exactly("nothing-written", "no pixel of the output was written", got)
        return
    if (left == comparison.wrong).all() and left.sum() >= LEAST:
        flat = np.flatnonzero(left)
        last = len(flat) == left.size - flat[0]
        where = f": the last {len(flat)} of the image" if last else ""
        held = "are 255, as memory without a value is" if on_device else "were never written"
        yield _exactly(
            "not-all-written",
            f"{len(flat)} of {left.size} pixels {held}{where}: are they computed, from data that "
            "is there, also after the last vector, section or block?",
            got,
        )


def _at_one_place(image: Bytes, name: str, comparison: Comparison) -> Iterator[Mistake]:
    """The wrong weights in one pixel of every four, which are taken out of three words."""
    right, wrong = comparison.expected.value, comparison.wrong
    places = np.unique(np.flatnonzero(wrong) % 4)
    if len(places) != 1 or wrong.sum() < FEW:
        return
    part = np.arange(wrong.size).reshape(wrong.shape) % 4 == places[0]
    for mistake in _weights(image, name):
        value = np.where(part, mistake.output().value, right)
        words = f"in pixel {places[0]} of every 4: {mistake.text}"
        yield _exactly(mistake.name, f"{words}; check which bytes of which words it takes", value)


def _weights(image: Bytes, name: str) -> Iterator[Mistake]:
    """The weights of another standard, for another colour, or none."""
    r, g, b = WEIGHTS[name]
    for mistake, text, weights in (
        ("channels-swapped", "red and blue are swapped: R is first in memory", (b, g, r)),
        ("channels-swapped", "the weights are assigned to the wrong colours", (g, b, r)),
        ("channels-swapped", "the weights are assigned to the wrong colours", (b, r, g)),
        ("channels-swapped", "the weights of red and green are swapped", (g, r, b)),
        ("channels-swapped", "the weights of green and blue are swapped", (r, b, g)),
        ("channel-left-out", "blue is missing in the sum", (r, g, 0)),
        ("channel-left-out", "green is missing in the sum", (r, 0, b)),
        ("channel-left-out", "red is missing in the sum", (0, g, b)),
        ("channel-twice", "green is used instead of blue", (r, g + b, 0)),
        ("channel-twice", "red is used instead of blue", (r + b, g, 0)),
        ("channel-twice", "blue is used instead of green", (r, 0, b + g)),
        ("channel-twice", "red is used instead of green", (r + g, 0, b)),
        ("channel-twice", "green is used instead of red", (0, g + r, b)),
        ("channel-twice", "blue is used instead of red", (0, g, b + r)),
        ("one-channel", "the output is the red channel", (32768, 0, 0)),
        ("one-channel", "the output is the green channel", (0, 32768, 0)),
        ("one-channel", "the output is the blue channel", (0, 0, 32768)),
    ):
        yield _exactly(mistake, text, grey(image, weights))
    for other, weights in WEIGHTS.items():
        if other != name:
            yield _exactly(
                "weights-ignored",
                f"your output is what the weights of BT.{other} give; use the weights that are "
                f"passed as a parameter, here those of BT.{name}",
                grey(image, weights),
            )
    total = image.astype(np.int64).sum(axis=2)
    for average in (total // 3, (2 * total + 3) // 6):
        yield _exactly(
            "averaged", "your output is (R + G + B) / 3: multiply by the weights", average
        )


def _rounding(
    image: Bytes, weights: Triple, decimals: tuple[float, float, float], before: I64
) -> Iterator[Mistake]:
    """Sums that are cut, shifted by a wrong number, or rounded at the wrong time."""
    total = weighted(image, weights)
    yield _exactly(
        "truncated",
        "each value is truncated, not rounded: add 16384, one half, before the shift",
        total >> 15,
    )
    channels = [image[..., i].astype(np.float32) for i in range(3)]
    products = [np.float32(d) * c for d, c in zip(decimals, channels, strict=True)]
    floating = products[0] + products[1] + products[2]
    for half, how in ((np.float32(0.5), "rounded"), (np.float32(0), "cut")):
        yield _exactly(
            "decimal-weights",
            f"your output is what decimal weights give, {how}: use the integer weights, in units "
            "of 1/32768",
            np.floor(floating + half).astype(np.int64),
        )
    yield _exactly(
        "not-normalised",
        "your output is the lowest byte of the sum: shift the sum right by 15, which divides it by "
        "32768",
        (total + 16384) & 255,
    )
    yield _exactly(
        "all-255",
        "nearly every pixel is 255, as after a sum that is limited to 255 and not shifted right "
        "by 15, or computed from bytes in the wrong order",
        np.minimum(total + 16384, 255),
    )
    for shift, words in ((16, "half"), (14, "twice")):
        yield _exactly(
            "wrong-shift",
            f"each value is {words} the right one: shift the sum right by 15, which divides it by "
            "32768",
            ((total + 16384) >> shift) & 255,
        )
    yield _exactly(
        "accumulated",
        "each value was added to what the output held before: write it with =, not +=",
        (((total + 16384) >> 15) + before) & 255,
    )
    pairs, blue = total - image[..., 2] * np.int64(weights[2]), image[..., 2] * np.int64(weights[2])
    halves = ((pairs >> 16) + (blue >> 16)) << 16 | (pairs + blue) & 0xFFFF
    yield _exactly(
        "sum-too-narrow",
        "the carry out of the lower 16 bits is lost: add the sums of 32 bits as such, with "
        "_mm_add_epi32() or _mm256_add_epi32()",
        (halves + 16384) >> 15 & 255,
    )
    each = sum(((image[..., i].astype(np.int64) * weights[i] + 16384) >> 15) for i in range(3))
    yield _exactly(
        "rounded-apart",
        "each product is rounded separately: add the three products first, then round once",
        np.asarray(each),
    )
    yield _exactly(
        "rounded-apart",
        "each product is cut separately: add the three products and one half, then shift once",
        np.asarray(sum(image[..., i].astype(np.int64) * weights[i] >> 15 for i in range(3))),
    )


def _narrow(image: Bytes, weights: Triple) -> Iterator[Mistake]:
    """Weights of fewer bits, each rounded, or one of them what is left of the sum 1; and such
    weights in _mm_maddubs_epi16(), whose second operand has signed bytes."""
    for bits in range(6, 15):
        rounded = [(w + (1 << 14 - bits)) >> 15 - bits for w in weights]
        all_weights = [rounded]
        for i in range(3) if sum(rounded) != 1 << bits else ():
            rest = (1 << bits) - sum(rounded) + rounded[i]
            all_weights.append([*rounded[:i], rest, *rounded[i + 1 :]])
        for small in all_weights:
            total = weighted(image, (small[0], small[1], small[2]))
            for half in (1 << bits - 1, 0):
                yield _exactly(
                    "narrow-weights",
                    f"your output is what weights of {bits} bits give, which are off by up to "
                    f"1/{2 << bits} each: use the weights of 15 bits",
                    np.minimum((total + half) >> bits, 255),
                )
            if bits <= 8:
                yield from _maddubs(image, small, bits)


def _maddubs(image: Bytes, weights: list[int], bits: int) -> Iterator[Mistake]:
    whole = image.astype(np.int64)
    signed_weights = np.array([(w + 128) % 256 - 128 for w in weights])
    signed_pixels = whole - (whole > 127) * 256
    for products, what in (
        (whole * signed_weights, "a weight above 127"),
        (signed_pixels * np.array(weights), "pixels above 127"),
    ):
        pairs = np.clip(products[..., 0] + products[..., 1], -32768, 32767)
        for half in (1 << bits - 1, 0):
            total = (pairs + products[..., 2] + half + 32768) % 65536 - 32768
            for shifted in (total >> bits, total % 65536 >> bits):
                yield _exactly(
                    "maddubs-signed",
                    f"your output is what _mm_maddubs_epi16() gives with {what} in its second "
                    "operand, whose bytes are signed: use 16 bits for both, and _mm_madd_epi16()",
                    np.clip(shifted, 0, 255),
                )


def _byte_order(image: Bytes, weights: Triple, comparison: Comparison) -> Iterator[Mistake]:
    """Planes taken for pixels, or the bytes of each vector in the wrong order."""
    height, width, _ = image.shape
    planes = image.reshape(3, height, width)
    yield _exactly(
        "channel-order",
        "the image was read as three planes, one after the other; the three bytes of a pixel are "
        "neighbours in memory",
        grey(np.moveaxis(planes, 0, 2), weights),
    )
    yield from _lanes(image, weights, comparison)
    flat = comparison.expected.value.reshape(-1).astype(np.int64)
    for vector in (4, 8, 16, 32, 64):
        order = _permuted(comparison, flat, vector)
        if order is not None:
            yield _exactly(
                "wrong-order",
                f"the values are right, but in a different order within each {vector} pixels: "
                f"{WORD if vector == 4 else VECTOR}",
                order,
            )


def _lanes(image: Bytes, weights: Triple, comparison: Comparison) -> Iterator[Mistake]:
    """The six lanes of 16 bytes that hold 32 pixels, taken in another order. Which lane was taken
    for which shows in the pixels that lie in one lane as a whole."""
    flat = image.reshape(-1)
    groups = comparison.got.size // 32
    if groups < 2:
        return
    lanes = flat[: groups * 96].reshape(groups, 6, 16)
    got = comparison.got.reshape(-1)[: groups * 32].reshape(groups, 32)
    order = []
    for place in range(6):
        half, third = divmod(place, 3)
        first = (0, 2, 1)[third]  # byte of the lane at which its first whole pixel begins
        pixel = 16 * half + (0, 6, 11)[third]
        count = (16 - first) // 3
        same = []
        for lane in range(6):
            whole = lanes[:, lane, first : first + 3 * count].reshape(groups, count, 3)
            same.append((grey(whole, weights) == got[:, pixel : pixel + count]).mean())
        order.append(int(np.argmax(same)))
    if order == [0, 1, 2, 3, 4, 5]:
        return
    value = comparison.expected.value.reshape(-1).copy()
    pixels = lanes[:, order].reshape(groups, 32, 3)
    value[: groups * 32] = grey(pixels, weights).reshape(-1)
    low, high = (" ".join(map(str, order[i : i + 3])) for i in (0, 3))
    yield _exactly(
        "lane-order",
        f"of the six lanes of 16 bytes that hold 32 pixels, pixels 0 to 15 were computed from "
        f"lanes {low}, and need 0 1 2; pixels 16 to 31 from lanes {high}, and need 3 4 5: "
        "rearrange the lanes after the loads",
        value.reshape(comparison.got.shape),
    )


def _permuted(comparison: Comparison, flat: I64, vector: int) -> I64 | None:
    """The output that one permutation inside all groups of `vector` pixels gives, if most groups
    show one; None otherwise. `flat`: the right values. Whether the permutation holds everywhere is
    for reproduces() to find out."""
    groups = len(flat) // vector
    if groups < 2:
        return None
    got = comparison.got.reshape(-1)[: groups * vector].reshape(groups, vector)
    right = flat[: groups * vector].reshape(groups, vector)
    same = (got[:, :, None] == right[:, None, :]).mean(axis=0)
    order = same.argmax(axis=1)
    if sorted(order) != list(range(vector)):
        return None
    moved = flat.copy()
    moved[: groups * vector] = right[:, order].reshape(-1)
    return moved.reshape(comparison.got.shape)


def _swapped(image: Bytes, right: npt.NDArray[np.float64]) -> Iterator[Mistake]:
    """x and y swapped."""
    height, width, _ = image.shape
    if height > 1 and width > 1:
        yield _exactly(
            "transposed",
            "x and y are swapped where you write the output",
            np.ascontiguousarray(right.T).reshape(right.shape),
        )
        yield _exactly(
            "image-transposed",
            "x and y are swapped where you read the image",
            np.ascontiguousarray(right.reshape(width, height).T),
        )


def _moved(
    image: Bytes, weights: Triple, right: npt.NDArray[np.float64], threads: int
) -> Iterator[Mistake]:
    """Pixels read or written at the index of another one."""
    height, width, _ = image.shape
    bytes_ = image.reshape(-1)
    for stride, first, name, text in (
        (3, 1, "shifted", "each pixel was read 1 byte too far on: its colours are G, B, R"),
        (3, 3, "shifted", "each output holds the grey of the next pixel"),
        (3, -3, "shifted", "each output holds the grey of the pixel before it"),
    ):
        index = np.arange(right.size)[:, None] * stride + first + np.arange(3)[None, :]
        known = np.asarray(((index >= 0) & (index < bytes_.size)).all(axis=1))
        pixels = bytes_[np.where(known[:, None], index, 0)]
        value = grey(pixels[None], weights)[0].astype(np.float64)
        yield _exactly(name, text, np.where(known, value, np.nan).reshape(right.shape))
    each = -(-right.size // threads)
    section = -(-each // SECTION) * SECTION
    pixel = np.arange(right.size)
    begins, pixel = 3 * (pixel // section * section), pixel % section
    for group in VECTORS:
        for step in (group, 2 * group, 4 * group, 3 * group - 1, 3 * group + 1):
            begin = begins + pixel // group * step + 3 * (pixel % group)
            there = np.asarray(begin + 2 < bytes_.size)
            pixels = bytes_[np.where(there, begin, 0)[:, None] + np.arange(3)[None, :]]
            value = grey(pixels[None], weights)[0].astype(np.float64)
            yield _exactly(
                "vector-stride",
                f"every {group} pixels are read {step} bytes behind the {group} before them; "
                f"{group} pixels have {3 * group} bytes",
                np.where(there, value, np.nan).reshape(right.shape),
            )
    for pitch, words in pitches(width, height, 0) if height > 1 else ():
        y, x = np.indices(right.shape)
        index = np.asarray(y * pitch + x)
        value = right.reshape(-1)[np.minimum(index, right.size - 1)]
        yield _exactly(
            "row-pitch",
            f"the image's rows were read {pitch} pixels apart ({words}); row y begins at y * width "
            f"= y * {width}",
            np.where(index < right.size, value, np.nan),
        )


def _written_apart(comparison: Comparison, before: I64) -> Iterator[Mistake]:
    """Groups of pixels that are written too far apart, or one pixel too late."""
    right = comparison.expected.value.reshape(-1)
    place = np.arange(right.size)
    for group in VECTORS:
        for step in (2 * group, 3 * group):
            pixel = place // step * group + place % step
            there = (place % step < group) & (pixel < right.size)
            value = np.where(there, right[np.where(there, pixel, 0)], before.reshape(-1))
            yield _exactly(
                "vector-stride",
                f"every {group} pixels are written {step} bytes behind the {group} before them; "
                f"{group} grey pixels have {group} bytes",
                value.reshape(comparison.got.shape),
            )


def _of_sections(
    image: Bytes, weights: Triple, comparison: Comparison, threads: int
) -> Iterator[Mistake]:
    """Pixels read at the wrong byte of each thread's section. threads: 0 where that is not known;
    the first wrong pixel then shows how many pixels a section has, or few threads are tried."""
    bytes_, size = image.reshape(-1), comparison.wrong.size
    first_wrong = int(np.flatnonzero(comparison.wrong)[0]) // SECTION * SECTION
    shares = [-(-size // n) for n in ([threads] if threads else range(1, MOST_THREADS + 1))]
    sections = dict.fromkeys([first_wrong or size, *(-(-n // SECTION) * SECTION for n in shares)])
    pixel = np.arange(size)
    for section in sections:
        start = pixel // section * section
        for begin, text in (
            (
                start + 3 * (pixel - start),
                f"each section of {section} pixels is read from byte first on, and begins at byte "
                "3 * first: a pixel has 3 bytes",
            ),
            (3 * start + pixel - start, "pixels were read 1 byte apart; a pixel has 3 bytes"),
            (
                3 * start + 4 * (pixel - start),
                "pixels were read 4 bytes apart; a pixel has 3 bytes, and no gap",
            ),
        ):
            there = np.asarray(begin + 2 < bytes_.size)
            pixels = bytes_[np.where(there, begin, 0)[:, None] + np.arange(3)[None, :]]
            value = grey(pixels[None], weights)[0].astype(np.float64)
            value = np.where(there, value, np.nan).reshape(comparison.wrong.shape)
            yield _exactly("channel-stride", text, value)


def narrow(source: str, image: Bytes, name: str) -> Iterator[Mistake]:
    """A sum in a type that is too narrow for it, or weights divided before they are multiplied: the
    source shows which, and the output must be what that gives."""
    total = weighted(image, WEIGHTS[name]) + 16384
    for line, type_, bits, is_signed in source_text.narrow_sums(source):
        low = total & ((1 << bits) - 1)
        if is_signed:
            low = np.where(low >= 1 << (bits - 1), low - (1 << bits), low)
        yield _exactly(
            "sum-too-narrow",
            f"line {line}: the sum of the products needs 23 bits, and `{type_}` has {bits}: use "
            "int",
            low >> 15 & 255,
        )
    if divided := source_text.divided_weight(source):
        yield _exactly(
            "divided-first",
            f"line {divided}: a weight is less than 32768, so the integer division by 32768 gives "
            "0: multiply and add first, then divide the sum",
            np.zeros(total.shape),
        )


def _exactly(name: str, text: str, output: npt.ArrayLike) -> Mistake:
    """A mistake that gives these bytes and no others."""
    value = np.asarray(output, dtype=np.float64)
    return Mistake(name, text, lambda: Expected(value, np.zeros(value.shape)))
