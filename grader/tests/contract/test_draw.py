"""Generated calls cover everything that lab.h allows, and nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pytest

from grader.contract import arrays, draw, generator
from grader.contract.generator import Generator
from grader.contract.step import Failing, Sequence, Step, consistent
from grader.model import outline, spec
from grader.model.lab import Contract, Lab


@dataclass(frozen=True)
class Sample:
    """A contract and the calls generated from its seed."""

    lab: Lab
    contract: Contract

    @cached_property
    def allowed(self) -> Generator:
        return draw.generator(self.lab, self.contract, self.contract.seed)

    @cached_property
    def sequences(self) -> list[Sequence]:
        return draw.draw_sequences(self.lab, self.contract, self.contract.seed)

    @property
    def steps(self) -> Iterator[Step]:
        return (step for sequence in self.sequences for step in sequence)

    def is_one_of(self, *labs_and_parts: str) -> bool:
        """Such as "lab1", or "lab2B"."""
        return bool({self.lab.id, self.lab.id + self.contract.part} & set(labs_and_parts))


LABS = [spec.load(lab) for lab in outline.available()]
DRAWN = [Sample(lab, contract) for lab in LABS for contract in lab.contract]
IDS = [f"{d.lab.id} {d.contract.name}" for d in DRAWN]
each_contract = pytest.mark.parametrize("sample", DRAWN, ids=IDS)


@each_contract
def test_equal_seeds_generate_equal_calls(sample: Sample) -> None:
    first, again, other = (
        draw.draw_sequences(sample.lab, sample.contract, seed) for seed in (7, 7, 8)
    )
    assert first == again != other


@each_contract
def test_the_calls_before_one_that_is_counted(sample: Sample) -> None:
    """Only the seed tells how many, and each computes a result."""
    before = [draw.draw_before(sample.lab, sample.contract, seed) for seed in range(40)]
    assert before[7] == draw.draw_before(sample.lab, sample.contract, 7)
    numbers = {len(sequence) for sequence in before}
    assert min(numbers) >= draw.BEFORE[0] and max(numbers) <= draw.BEFORE[1] and len(numbers) > 15
    calls = [call for sequence in before for call in sequence]
    assert not any(c.failing or c.refuse or c.kept or c.inseparable for c in calls)


@each_contract
def test_generated_calls_are_allowed(sample: Sample) -> None:
    allowed = sample.allowed
    largest = generator.FAR_RADIUS if sample.is_one_of("lab1", "lab2") else allowed.radius[1]
    most_channels = {"lab7A": 33_000, "lab7B": 1_100, "lab7C": 1_100}
    most_masks = {"lab7B": 1_100, "lab7C": 1_100}
    key = sample.lab.id + sample.contract.part
    for step in sample.steps:
        assert sample.is_one_of("lab4C") or allowed.radius[0] <= step.radius <= largest
        assert step.width >= 1
        assert step.height >= 1
        assert not allowed.borders or step.border in allowed.borders
        assert step.type in allowed.types
        assert 1 <= step.channels <= most_channels.get(key, 1)
        assert 1 <= step.masks <= most_masks.get(key, 1)
        if sample.is_one_of("lab7"):
            assert max(step.width, step.height, step.channels, step.masks) < 1 << 16
        if step.refuse:
            assert allowed.refused and is_refused(sample, step.refuse)
        if step.failing and not step.huge:
            assert 1 <= step.failing.call <= allowed.fails
        assert bool(step.weights) == sample.is_one_of("lab8")
        if step.weights not in ("", "709", "601"):
            weights = [int(w) for w in step.weights.split(",")]
            assert sum(weights) == 32768
            assert all(0 <= w <= 32767 for w in weights)


def is_refused(sample: Sample, value: int) -> bool:
    """Does lab.h refuse it? A device with less shared memory than an H200's refuses more."""
    first = min(value for value in sample.allowed.refused if value > 0)
    return not 0 <= value < first or value - 1 in {s.radius for s in sample.steps if s.shared}


@each_contract
def test_values_that_must_be_refused_come_from_all_that_there_are(sample: Sample) -> None:
    first = min((value for value in sample.allowed.refused if value > 0), default=0)
    seeds = range(1, 60) if first else []
    values = [draw.generator(sample.lab, sample.contract, seed).drawn_refused() for seed in seeds]
    every = {value for some in values for value in some}
    assert all(-(1 << 31) <= value < 1 << 31 and not 0 <= value < first for value in every)
    for low, high in (
        (-(1 << 31), -(1 << 28)),
        (-first, -1),
        (first, first + 9),
        (1 << 28, 1 << 31),
    ):
        assert not first or any(low <= value < high for value in every)
    assert len(every) >= 3 * len(seeds)
    played = {s.refuse for s in sample.steps if s.refuse}
    assert len(played - {*sample.allowed.refused}) >= (5 if first else 0)


@each_contract
def test_generated_calls_cover_every_parameter(sample: Sample) -> None:
    allowed, steps = sample.allowed, list(sample.steps)
    assert len(steps) >= allowed.count
    assert {s.border for s in steps} == set(allowed.borders or [""])
    assert {s.type for s in steps} == set(allowed.types)
    assert set(allowed.radius) <= {s.radius for s in steps}
    assert len({(s.width, s.height) for s in steps}) > allowed.count / 3
    assert 1 in {s.width for s in steps}
    assert 1 in {s.height for s in steps}
    assert {s.image_content for s in steps} >= set(allowed.images)
    assert len({(s.at_end, s.out_at_end) for s in steps}) == 4
    failing = {s.failing.call for s in steps if s.failing and not s.huge}
    assert failing == set(range(1, allowed.fails + 1))
    assert {s.threads for s in steps} == set(allowed.threads or [0])
    assert any(s.held for s in steps)
    assert any(s.kept for s in steps) == allowed.kept


@each_contract
def test_a_few_calls_are_far_out(sample: Sample) -> None:
    steps = list(sample.steps)
    assert any(s.width > (1 << 16) - 2 for s in steps)
    assert any(s.height == (1 << 16) - 1 for s in steps)
    assert any(s.width * s.height > 1 << 18 for s in steps)
    assert any(
        s.radius > sample.allowed.radius[1] for s in steps if not s.refuse
    ) == sample.is_one_of("lab1", "lab2", "lab4C")
    assert sample.is_one_of("lab8") or {s.mask_content for s in steps} >= set(arrays.FAR_MASKS)


def test_generated_calls_have_many_channels_and_masks() -> None:
    depthwise, *others = (sample for sample in DRAWN if sample.lab.id == "lab7")
    assert any((s.type, s.channels) == ("f8", 33_000) for s in depthwise.steps)
    for sample in others:
        deep = {(s.type, s.channels, s.masks) for s in sample.steps}
        for kind in ("f8", "f4"):
            assert {(kind, 1_100, 17), (kind, 2, 1_100)} <= deep


@each_contract
def test_calls_that_a_program_gets_wrong_once_in_ten_thousand(sample: Sample) -> None:
    steps = list(sample.steps)
    sizes = {(step.width, step.height) for step in steps}
    assert ((1, 66_000) in sizes) == sample.is_one_of("lab1")
    assert ((2_200_000, 1) in sizes) == sample.is_one_of("lab1A", "lab1B")
    assert (max(s.radius for s in steps) == generator.FAR_RADIUS) == sample.is_one_of(
        "lab1", "lab2"
    )
    assert any(s.shifted and s.width % 4 == 0 for s in steps) == sample.is_one_of(
        "lab1", "lab2B", "lab2C"
    )
    assert not any(s.shifted and (s.at_end or s.out_at_end) for s in steps)
    is_plain = "grey_plain" in sample.contract.name
    assert any(s.huge for s in steps) == is_plain or sample.is_one_of(
        "lab2B", "lab2C", "lab8B", "lab8C", "lab8D"
    )
    for sequence in sample.sequences:
        for step in sequence:
            if step.huge and sample.contract.returns == "void":  # the call that ends its program
                assert sequence == (step,)
                assert step.width * step.height < step.huge[0] * step.huge[1] > 1 << 31
                assert step.threads == 1
    even = {s.mask_content for s in steps} & set(arrays.EVEN_MASKS)
    has_plane = sample.allowed.mask in ("plane", "bank")
    assert even == (set(arrays.EVEN_MASKS) if has_plane else set())


@each_contract
def test_some_calls_differ_from_the_one_before_in_one_number(sample: Sample) -> None:
    changed = set()
    for sequence in sample.sequences:
        for before, step in pairwise(sequence):
            if not (step.nudged and step.held):
                continue
            if step.nudged == "order":
                one, other = (arrays.inputs(s).mask for s in (before, step))
                assert one is not None and other is not None and (one != other).any()
                assert sorted(one.flat) == sorted(other.flat)
                changed.add(step.nudged)
                continue
            pairs = zip(
                arrays.inputs(before).arrays.values(),
                arrays.inputs(step).arrays.values(),
                strict=True,
            )
            many = sum(int((one != other).sum()) for one, other in pairs)
            colours = 3 if step.type == "u1" else 1
            most = {"pixel": colours, "row": colours * step.width}.get(step.nudged, 1)
            before_too = colours * step.width if before.nudged else 0  # is as it was again
            assert 1 <= many <= most + before_too
            changed.add(step.nudged)
    assert changed >= {*arrays.CHANGED}


@each_contract
def test_images_change_in_part_also_at_the_size_that_is_timed(sample: Sample) -> None:
    is_c = sample.lab.file_of(sample.contract).endswith(".c")
    timed = {s.size for s in sample.lab.speed if is_c and s.part == sample.contract.part}
    for nudged in arrays.CHANGED:
        sizes = {(s.width, s.height) for s in sample.steps if s.nudged == nudged}
        assert timed <= sizes and max(width * height for width, height in sizes) > 40_000
    places = set()
    for seed in range(20):
        made = draw.generator(sample.lab, sample.contract, seed)
        (before, *after) = made.changed_steps()
        one, other = (
            arrays.inputs(s).image for s in (before, next(s for s in after if s.nudged == "byte"))
        )
        assert (one.view(np.uint8) != other.view(np.uint8)).sum() == 1
        places.add(int(np.flatnonzero(one != other)[0]))
    assert len(places) > 15


def test_an_uneven_mask_has_one_coefficient_that_is_not() -> None:
    for shape in ("plane", "bank"):
        even, nearly = (
            arrays.inputs(Step("A", 1, 1, 2, mask=shape, mask_content=content, seed=6)).mask
            for content in ("symmetric", "uneven")
        )
        assert (even == even[..., ::-1]).all()
        assert (even == even[..., ::-1, :]).all()
        assert (even != nearly).sum() == 1


@each_contract
def test_a_sequence_relies_on_nothing_before_it(sample: Sample) -> None:
    for sequence in sample.sequences:
        assert not sequence[0].held
        assert not sequence[0].kept
        for before, step in pairwise(sequence):
            if step.kept:
                assert arrays.inputs(before).mask.tobytes() == arrays.inputs(step).mask.tobytes()
                assert not before.failing


@each_contract
def test_each_call_fails_also_after_calls_that_do_not(sample: Sample) -> None:
    """A program may look for the error of its first call alone."""
    later = set()
    for sequence in sample.sequences:
        right = False
        for step in sequence:
            right = right or not step.failing
            if step.failing and right and not step.huge:
                later.add(step.failing.call)
    assert later == set(range(1, sample.allowed.fails + 1))


def test_generated_doubles_exceed_float_precision() -> None:
    huge, tiny = (
        arrays.inputs(Step("A", 9, 9, mask="depthwise", type="f8", image_content=content)).image
        for content in ("huge", "tiny")
    )
    assert np.abs(huge).max() > np.finfo(np.float32).max
    assert 0 < np.abs(tiny).max() < np.finfo(np.float32).smallest_subnormal


def largest_disagreement(mask: np.ndarray) -> float:
    """The largest |g(a, b) g(p, q) - g(p, b) g(a, q)| / |g(a, b) g(p, q)| of lab 5's definition."""
    g = mask.astype(np.float64)
    products = np.einsum("ba,qp->baqp", g, g)
    crossed = np.einsum("bp,qa->baqp", g, g)
    differ = products != crossed
    with np.errstate(divide="ignore"):
        relative = np.abs(products - crossed)[differ] / np.abs(products)[differ]
    return float(np.max(relative, initial=0))


def test_generated_masks_lie_on_both_sides_of_the_tolerance() -> None:
    steps = [s for sample in DRAWN if sample.is_one_of("lab5B") for s in sample.steps]
    disagreements: dict[str, list[float]] = {content: [] for content in arrays.CLOSE_MASKS}
    for step in steps:
        if step.mask_content in disagreements:
            assert step.inseparable == (step.mask_content != "nearly")
            mask = arrays.inputs(step).mask
            disagreements[step.mask_content].append(largest_disagreement(mask))
    assert all(len(values) >= 4 for values in disagreements.values())
    u = 2.0**-24
    assert all(9 * u < value <= 12 * u for value in disagreements["nearly"])
    assert all(20 * u < value < 22.01 * u for value in disagreements["barely"])
    assert all(value > 1000 * u for value in disagreements["apart"])


def test_rows_and_columns_apart_agree_with_those_beside_them() -> None:
    """So comparing neighbours alone does not find them out."""
    step = Step("B", 1, 1, radius=2, mask="outer", mask_content="apart", inseparable=True, seed=4)
    mask = arrays.inputs(step).mask.astype(np.float64)
    assert (mask[:-1, :-1] * mask[1:, 1:] == mask[1:, :-1] * mask[:-1, 1:]).all()


def test_a_row_for_c_does_not_fit_on_the_stack_of_a_thread() -> None:
    for sample in DRAWN:
        longest = max(step.width * int(step.type[1]) for step in sample.steps)
        is_far = sample.is_one_of("lab1A", "lab1B")
        assert (longest > generator.STACK) == bool(sample.allowed.threads or is_far)
        if is_far:
            continue
        other = [s for q in draw.draw_sequences(sample.lab, sample.contract, 7) for s in q]
        assert max(step.width for step in other) < generator.STACK // 4


def test_every_radius_is_run_under_all_checks() -> None:
    for sample in DRAWN:
        low, high = sample.allowed.radius
        radii = {step.radius for step in draw.draw_checked(sample.lab, sample.contract)}
        assert radii >= set(range(low, min(high, generator.MOST_CHECKED_RADIUS) + 1))


def test_each_call_fails_once_under_all_checks() -> None:
    for sample in DRAWN:
        calls = draw.draw_checked(sample.lab, sample.contract)
        failed = {(s.failing.call, s.settings) for s in calls if s.failing}
        kinds = {settings for _, settings in failed}
        assert {call for call, _ in failed} == set(range(1, sample.allowed.fails + 1))
        assert not sample.is_one_of("lab2C") or len(failed) == 3 * 16 == len(kinds) * 16


def test_a_vast_image_has_as_many_pixels_as_a_lab_allows() -> None:
    for sample in DRAWN:
        step = draw.draw_vast(sample.lab, sample.contract)
        assert (step is not None) == (sample.contract.call.count("d_") > 0)
        if step:
            pixels = step.width * step.height * step.channels
            assert (pixels > 2**31) == sample.is_one_of("lab2", "lab7", "lab8")
            assert pixels % 1024 == 0  # whole pages of floats


def kept(seed: int, part: str = "A", *, own: bool = False) -> Step:
    return Step(part, 3, 3, 1, seed=seed, kept=True, own_mask=own)


def test_reused_mask_needs_the_call_that_set_it() -> None:
    def flags(sequence: Sequence) -> list[bool]:
        return [step.kept for step in sequence]

    set_it = replace(kept(5), kept=False)
    assert flags(consistent([set_it, kept(5)])) == [False, True]
    assert flags(consistent([set_it, kept(6)])) == [False, False]
    assert flags(consistent([kept(5)])) == [False]
    failed = replace(set_it, failing=Failing(1, 2))
    assert flags(consistent([failed, kept(5)])) == [False, False]
    other = replace(kept(9, "B"), kept=False)
    assert flags(consistent([set_it, other, kept(5)])) == [False, False, False]
    own = [replace(set_it, own_mask=True), replace(other, own_mask=True), kept(5, own=True)]
    assert flags(consistent(own)) == [False, False, True]


def test_parts_alternate_in_mixed_sequences() -> None:
    lab = spec.load("lab4")
    parts = [step.part for q in draw.draw_mixed(lab, lab.contract, 1) for step in q]
    assert set(parts) == {"A", "B", "C", "D"}
    assert sum(a != b for a, b in pairwise(parts)) > len(parts) / 2


@pytest.mark.parametrize(("shared", "radius"), [(48 << 10, 30), (100 << 10, 47), (227 << 10, 76)])
def test_the_largest_radius_that_fits(shared: int, radius: int) -> None:
    def needs(r: int) -> int:
        return 4 * ((32 + 2 * r) ** 2 + (2 * r + 1) ** 2)

    sample = next(d for d in DRAWN if d.is_one_of("lab4C"))
    on_device = 0 if shared == 227 << 10 else shared
    assert max(s.radius for s in sample.steps if s.shared == on_device) == radius
    assert needs(radius) <= shared < needs(radius + 1)


@each_contract
def test_the_arrays_fit_the_step(sample: Sample) -> None:
    for step in list(sample.steps)[:60]:
        given = arrays.inputs(step)
        assert given.image.shape[:2] == (step.height, step.width) or given.image.shape[-2:] == (
            step.height,
            step.width,
        )
        if step.mask != "none":
            assert given.mask.dtype == np.dtype(step.type)
            assert np.isfinite(given.mask).all()
        assert np.isfinite(given.image.astype(np.float64)).all()
        assert arrays.inputs(step).image.tobytes() == given.image.tobytes()


def test_scaled_masks_stay_in_the_range_of_lab_5() -> None:
    (separable,) = (d for d in DRAWN if d.is_one_of("lab5B"))
    for seed in range(200):
        step = Step("B", 2, 2, seed % 9, mask="outer", mask_content="scaled", seed=seed * 7919)
        for inseparable in (False, True):
            mask = np.abs(arrays.inputs(replace(step, inseparable=inseparable)).mask)
            assert mask.min() >= 1e-18
            assert mask.max() <= 1e18
    sample = [s for s in separable.steps if s.mask == "outer" and s.mask_content == "scaled"]
    sizes = [float(np.abs(arrays.inputs(s).mask).max()) for s in sample]
    assert min(sizes) < 1e-14
    assert max(sizes) > 1e14
    assert not {s.image_content for s in sample} & {"wide", "huge", "tiny"}


def test_a_part_with_a_mask_of_its_own_leaves_that_of_the_others() -> None:
    set_it = replace(kept(5), kept=False)
    other = replace(kept(9, "C", own=True), kept=False)
    assert [s.kept for s in consistent([set_it, other, kept(5)])] == [False, False, True]
