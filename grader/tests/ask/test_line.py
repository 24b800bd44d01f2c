"""Questions about launches along a line of elements."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from grader.ask import line
from grader.ask.draft import CannotTell
from grader.ask.kinds import grid, spare, turns
from grader.ask.kinds.turns import taken_by
from grader.execute.profile import Launch
from grader.model.lab import Computation, GivenArray, OutputArray
from grader.oracle.operations import Operation

BLOCK = (256, 1, 1)


def part(n: int, blocks: int, axes: tuple[str, ...] = ("n",), in_c: bool = False) -> Any:
    """A part whose launch has so many blocks for n elements."""
    computes = Computation({"x": GivenArray(list(axes))}, OutputArray([1]))
    launch = cast(Launch, SimpleNamespace(launch=0, line=7, block=BLOCK, grid=(blocks, 1, 1)))
    return SimpleNamespace(
        operation=Operation("sum", computes, {}),
        case=lambda: SimpleNamespace(sizes={"n": n}),
        trace=SimpleNamespace(launches=[launch], warps=[]),
        in_c=in_c,
    )


@pytest.mark.parametrize(
    ("n", "blocks", "per"), [(776, 4, 256), (768, 3, 256), (776, 2, 512), (5000, 2, 4096)]
)
def test_the_elements_of_a_block_follow_from_the_grid(n: int, blocks: int, per: int) -> None:
    found = line.line_of(part(n, blocks), cast(Any, SimpleNamespace(choice=lambda all_: all_[0])))
    assert (found.per, found.blocks(n)) == (per, blocks) and found.blocks(per + 1) == 2


@pytest.mark.parametrize(
    "other", [part(776, 1), part(776, 7), part(776, 4, ("n", "m")), part(776, 4, in_c=True)]
)
def test_nothing_is_asked_where_the_grid_says_nothing(other: Any) -> None:
    with pytest.raises(CannotTell):
        line.line_of(other, cast(Any, None))
    with pytest.raises(CannotTell):
        line.loads_of_input(other)


def test_a_loop_over_the_grid_takes_every_element_once() -> None:
    for n, step in ((1, 4), (4, 4), (5, 4), (17, 4)):
        assert sum(taken_by(n, own, step) for own in range(step)) == n
    assert taken_by(3, 3, 4) == 0


@pytest.mark.parametrize("kind", [grid, spare, turns])
def test_they_stay_away_from_images(kind: Any) -> None:
    image = part(776, 4)
    image.operation = Operation("f", Computation({"x": GivenArray(["y", "x"])},
                                                 OutputArray(["y", "x"])), {})  # fmt: skip
    with pytest.raises(CannotTell):
        kind.ask(image, cast(Any, None))
