"""What the contracts of all labs draw: enough of everything that lab.h allows, and nothing else."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from grader.contract import arrays, draw
from grader.contract.step import Failing, Sequence, Step
from grader.model import spec
from grader.model.spec import Contract

CONTRACTS = [c for lab in spec.available() for c in spec.load(lab).contract]
IDS = [f"{c.part} {c.name}" for c in CONTRACTS]
each_contract = pytest.mark.parametrize("contract", CONTRACTS, ids=IDS)


def steps(contract: Contract) -> Iterator[Step]:
    for sequence in draw.sequences(contract, contract.seed):
        yield from sequence


@each_contract
def test_the_same_seed_draws_the_same(contract: Contract) -> None:
    assert draw.sequences(contract, 7) == draw.sequences(contract, 7)
    assert draw.sequences(contract, 7) != draw.sequences(contract, 8)


@each_contract
def test_what_is_drawn_is_allowed(contract: Contract) -> None:
    for step in steps(contract):
        low, high = contract.radius
        largest = draw.FAR_RADIUS if contract.larger_radius else high
        assert contract.shared or low <= step.radius <= largest
        assert step.width >= 1
        assert step.height >= 1
        assert not contract.borders or step.border in contract.borders
        assert step.type in contract.types
        assert contract.channel[0] <= step.channels
        assert contract.masks[0] <= step.masks
        assert step.channels <= max(contract.channel[1], contract.larger_channels)
        assert step.masks <= max(contract.masks[1], contract.larger_masks)
        if contract.channel[1] > 1:
            assert max(step.width, step.height, step.channels, step.masks) < 1 << 16
        assert not step.refuse or contract.refuse or contract.shared
        if step.failing:
            assert 1 <= step.failing.call <= contract.fails
        if contract.colours and step.weights not in ("709", "601"):
            weights = [int(w) for w in step.weights.split(",")]
            assert sum(weights) == 32768
            assert all(0 <= w <= 32767 for w in weights)


@each_contract
def test_enough_of_everything_is_drawn(contract: Contract) -> None:
    drawn = list(steps(contract))
    assert len(drawn) >= contract.calls
    assert {s.border for s in drawn} == set(contract.borders or [""])
    assert {s.type for s in drawn} == set(contract.types)
    assert {contract.radius[0], contract.radius[1]} <= {s.radius for s in drawn}
    assert len({(s.width, s.height) for s in drawn}) > contract.calls / 3
    assert 1 in {s.width for s in drawn}
    assert 1 in {s.height for s in drawn}
    contents = arrays.BITS if contract.exact else arrays.IMAGES
    assert {s.image_content for s in drawn} >= set(
        arrays.BYTES if contract.types == ("u1",) else contents
    )
    assert len({(s.at_end, s.out_at_end) for s in drawn}) == 4
    assert {s.failing.call for s in drawn if s.failing} == set(range(1, contract.fails + 1))
    assert {s.threads for s in drawn} == set(contract.threads or [0])
    assert any(s.held for s in drawn)
    assert any(s.kept for s in drawn) == contract.kept


@each_contract
def test_a_few_calls_are_far_out(contract: Contract) -> None:
    drawn = list(steps(contract))
    assert any(s.width > (1 << 16) - 2 for s in drawn)
    assert any(s.height == (1 << 16) - 1 for s in drawn)
    assert any(s.width * s.height > 1 << 18 for s in drawn)
    for types in contract.types:
        of_type = [s for s in drawn if s.type == types]
        if types == contract.types[0] or contract.larger_masks:
            assert max(s.channels for s in of_type) >= contract.larger_channels
        assert max(s.masks for s in of_type) >= contract.larger_masks
    assert any(s.radius > contract.radius[1] for s in drawn if not s.refuse) == bool(
        contract.larger_radius or contract.shared
    )
    assert contract.mask == "none" or {s.mask_content for s in drawn} >= set(arrays.FAR_MASKS)


@each_contract
def test_calls_that_a_program_gets_wrong_once_in_ten_thousand(contract: Contract) -> None:
    drawn = list(steps(contract))
    assert {(s.width, s.height) for s in drawn} >= set(contract.far)
    assert (max(s.radius for s in drawn) == draw.FAR_RADIUS) == bool(contract.larger_radius)
    assert any(s.shifted and s.width % 4 == 0 for s in drawn) == contract.shift
    assert not any(s.shifted and (s.at_end or s.out_at_end) for s in drawn)
    assert any(s.huge for s in drawn) == bool(contract.huge)
    even = {s.mask_content for s in drawn} & set(arrays.EVEN_MASKS)
    for sequence in draw.sequences(contract, contract.seed):
        for step in sequence:
            assert step.huge in (None, contract.huge)
            if step.huge and contract.returns == "void":  # the call that ends its program
                assert sequence == (step,)
                assert step.width * step.height < step.huge[0] * step.huge[1] > 1 << 31
                assert step.threads == 1
    assert even == (set(arrays.EVEN_MASKS) if contract.mask in ("plane", "bank") else set())


@each_contract
def test_some_calls_differ_from_the_one_before_in_one_number(contract: Contract) -> None:
    changed = set()
    for sequence in draw.sequences(contract, contract.seed):
        for before, step in pairwise(sequence):
            if not (step.nudged and step.held):
                continue
            pairs = zip(
                arrays.inputs(before).arrays.values(),
                arrays.inputs(step).arrays.values(),
                strict=True,
            )
            assert sum(int((one != other).sum()) for one, other in pairs) == 1
            changed.add(step.nudged)
    assert changed >= {"pixel"}


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
def test_a_sequence_relies_on_nothing_before_it(contract: Contract) -> None:
    for sequence in draw.sequences(contract, contract.seed):
        assert not sequence[0].held
        assert not sequence[0].kept
        for before, step in pairwise(sequence):
            if step.kept:
                assert arrays.inputs(before).mask.tobytes() == arrays.inputs(step).mask.tobytes()
                assert not before.failing


@each_contract
def test_each_call_fails_also_after_calls_that_do_not(contract: Contract) -> None:
    """A program may look for the error of its first call alone."""
    later = set()
    for sequence in draw.sequences(contract, contract.seed):
        right = False
        for step in sequence:
            right = right or not step.failing
            if step.failing and right:
                later.add(step.failing.call)
    assert later == set(range(1, contract.fails + 1))


def test_doubles_are_drawn_that_no_float_has() -> None:
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


def test_planes_that_are_nearly_separable_are_drawn_on_both_sides_of_the_tolerance() -> None:
    drawn = [s for c in spec.load("lab5").contract if c.inseparable for s in steps(c)]
    disagreements: dict[str, list[float]] = {content: [] for content in arrays.CLOSE_MASKS}
    for step in drawn:
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
    for contract in CONTRACTS:
        longest = max(step.width * int(step.type[1]) for step in steps(contract))
        far = any(width * 4 > draw.STACK for width, _ in contract.far)
        assert (longest > draw.STACK) == bool(contract.threads or far)
        if far:
            continue
        other = [s for sequence in draw.sequences(contract, 7) for s in sequence]
        assert max(step.width for step in other) < draw.STACK // 4


def test_every_radius_is_run_under_all_checks() -> None:
    for contract in CONTRACTS:
        low, high = contract.radius
        drawn = {step.radius for step in draw.checked(contract)}
        assert drawn >= set(range(low, min(high, draw.MOST_CHECKED_RADIUS) + 1))


def kept(seed: int, part: str = "A", *, own: bool = False) -> Step:
    return Step(part, 3, 3, 1, seed=seed, kept=True, own_mask=own)


def test_a_kept_mask_needs_the_call_that_set_it() -> None:
    def flags(sequence: Sequence) -> list[bool]:
        return [step.kept for step in sequence]

    set_it = replace(kept(5), kept=False)
    assert flags(draw.consistent([set_it, kept(5)])) == [False, True]
    assert flags(draw.consistent([set_it, kept(6)])) == [False, False]
    assert flags(draw.consistent([kept(5)])) == [False]
    failed = replace(set_it, failing=Failing(1, 2))
    assert flags(draw.consistent([failed, kept(5)])) == [False, False]
    other = replace(kept(9, "B"), kept=False)
    assert flags(draw.consistent([set_it, other, kept(5)])) == [False, False, False]
    own = [replace(set_it, own_mask=True), replace(other, own_mask=True), kept(5, own=True)]
    assert flags(draw.consistent(own)) == [False, False, True]


def test_parts_alternate_in_mixed_sequences() -> None:
    contracts = spec.load("lab4").contract
    parts = [step.part for sequence in draw.mixed(contracts, 1) for step in sequence]
    assert set(parts) == {"A", "B", "C", "D"}
    assert sum(a != b for a, b in pairwise(parts)) > len(parts) / 2


@pytest.mark.parametrize(("shared", "radius"), [(48 << 10, 30), (100 << 10, 47), (227 << 10, 76)])
def test_the_largest_radius_that_fits(shared: int, radius: int) -> None:
    def needs(r: int) -> int:
        return 4 * ((32 + 2 * r) ** 2 + (2 * r + 1) ** 2)

    assert draw.largest_radius(shared) == radius
    assert needs(radius) <= shared < needs(radius + 1)


@each_contract
def test_the_arrays_fit_the_step(contract: Contract) -> None:
    for step in list(steps(contract))[:60]:
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
    (contract,) = (c for c in CONTRACTS if c.mask == "square")
    for seed in range(200):
        step = Step("B", 2, 2, seed % 9, mask="outer", mask_content="scaled", seed=seed * 7919)
        for inseparable in (False, True):
            mask = np.abs(arrays.inputs(replace(step, inseparable=inseparable)).mask)
            assert mask.min() >= 1e-18
            assert mask.max() <= 1e18
    drawn = [s for s in steps(contract) if s.mask == "outer" and s.mask_content == "scaled"]
    sizes = [float(np.abs(arrays.inputs(s).mask).max()) for s in drawn]
    assert min(sizes) < 1e-14
    assert max(sizes) > 1e14
    assert not {s.image_content for s in drawn} & {"wide", "huge", "tiny"}


def test_a_part_with_a_mask_of_its_own_leaves_that_of_the_others() -> None:
    set_it = replace(kept(5), kept=False)
    other = replace(kept(9, "C", own=True), kept=False)
    assert [s.kept for s in draw.consistent([set_it, other, kept(5)])] == [False, False, True]
