"""The terms of a prediction: each responds to its own count."""

import math
from dataclasses import replace

import pytest

from grader.predict import estimate, gpu
from grader.predict.counts import Counts
from grader.predict.terms import WORDS

H200 = gpu.gpu("h200")
COPY = Counts(
    kernel="copy", blocks=65536, threads=256, shared=0,
    operations={"memory": 2.0 * 65536 * 8}, code=8, unseen=0.0, stale=False, unevenness=0.0,
    longest=1.0, constant_words=0, constant_requests=0,
    shared_wavefronts=0, l1_wavefronts=2 * 65536 * 8, load_requests=65536 * 8, waits=65536 * 8,
    load_sectors=65536 * 32, l2_sectors=2 * 65536 * 32, store_wavefronts=65536 * 8, missed=1.0,
    read_bytes=65536 * 1024,
    written_bytes=65536 * 1024, atomic_lanes=0, atomic_addresses=0, shares_memory=False, sources={},
)  # fmt: skip


def _replace(values: dict[str, object]) -> Counts:
    return replace(COPY, **values)  # type: ignore[arg-type]


def time(counts: Counts) -> float:
    return estimate.predict_time([counts], H200).seconds


def test_a_copy_is_near_what_was_measured() -> None:
    """4096x4096 floats: 50.8 us on an H200 (labs/studies/predict/h200/times.csv)."""
    assert time(COPY) == pytest.approx(50.8e-6, rel=0.3)
    found = estimate.predict_time([COPY], H200)
    assert found.low < 50.8e-6 < found.high


@pytest.mark.parametrize(
    ("term", "values"),
    [
        ("shared", {"shared_wavefronts": 10**9}),
        ("l1", {"l1_wavefronts": 10**9}),
        ("l2", {"l2_sectors": 10**9}),
        ("l2", {"store_wavefronts": 32 * 65536 * 8}),
        ("dram", {"read_bytes": 10**10}),
        ("fp64", {"operations": {"fp64": 1e9}}),
        ("issue", {"operations": {"branch": 1e9}}),
        ("special", {"operations": {"convert": 1e9}}),
        (
            "constant",
            {"operations": {"constant": 1e8}, "constant_words": 32, "constant_requests": 1},
        ),
        ("atomics", {"atomic_lanes": 10**8, "atomic_addresses": 1}),
    ],
)
def test_the_largest_count_binds(term: str, values: dict[str, object]) -> None:
    found = estimate.predict_time([_replace(values)], H200)
    assert found.bound == term
    assert found.seconds > 2 * time(COPY)


def test_terms_add_up_to_the_time() -> None:
    found = estimate.predict_time([COPY, COPY], H200)
    assert sum(found.terms.values()) == pytest.approx(found.seconds)
    assert set(found.terms) == set(WORDS)
    assert found.low < found.seconds < found.high


def test_atomics_at_many_addresses_go_together() -> None:
    one = time(_replace({"atomic_lanes": 10**7, "atomic_addresses": 1}))
    many = time(_replace({"atomic_lanes": 10**7, "atomic_addresses": 10**6}))
    assert one > 50 * many


def test_stores_in_columns_are_near_what_was_measured() -> None:
    """general transpose_naive 4096x4096: 255.8 us on an H200 (times.csv)."""
    columns: dict[str, object] = {
        "store_wavefronts": 31 * 65536 * 8,
        "l1_wavefronts": 32 * 65536 * 8,
        "l2_sectors": 36 * 65536 * 8,
    }
    assert time(_replace(columns)) == pytest.approx(255.8e-6, rel=0.3)


def test_blocks_start_while_others_run() -> None:
    """One thread a block: the rate of starting blocks alone decides (general one_thread_blocks)."""
    many = {"blocks": 1 << 22, "threads": 1}
    alone = time(_replace({**many, "operations": {}}))
    half = 0.5 * alone * H200.multiprocessors * H200.clock * H200.issue
    assert time(_replace({**many, "operations": {"move": half}})) < 1.2 * alone


def test_few_blocks_leave_multiprocessors_idle() -> None:
    work = {"operations": {"fma": 1e9}, "load_requests": 0, "l1_wavefronts": 0, "l2_sectors": 0}
    one = time(_replace({**work, "blocks": 1}))
    all_busy = time(_replace({**work, "blocks": 132}))
    assert one > 50 * all_busy


@pytest.mark.parametrize(
    ("shared", "threads", "warps"),
    [(0, 256, 64), (100 * 1024, 256, 16), (0, 32, 32), (0, 1024, 64)],
)
def test_occupancy_gives_resident_warps(shared: int, threads: int, warps: int) -> None:
    counts = _replace({"shared": shared, "threads": threads})
    assert estimate.resident_warps(counts, H200) == warps


def test_every_gpu_is_described() -> None:
    for name in gpu.names():
        found = estimate.predict_time([COPY], gpu.gpu(name))
        assert math.isfinite(found.seconds) and found.seconds > 0
    assert gpu.gpu("h200").measured and not gpu.gpu("rtx4060").measured
    with pytest.raises(KeyError):
        gpu.gpu("../h200")
