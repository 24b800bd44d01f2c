"""Keys of questions about the solutions equal formulas that are written by hand here, from the text
of the solution: nothing of grader/ask computes them."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random

import pytest

from grader.ask.catalogue import KINDS
from grader.ask.draft import CannotTell, Draft
from grader.ask.quiz import Quiz, quiz
from grader.model import spec
from grader.model import submission as submissions

BLOCK_WIDTH, BLOCK_HEIGHT, TILE = 32, 8, 32  # of the solutions of labs 2 and 3; of lab 4


@pytest.fixture(scope="module")
def quizzes() -> Iterator[dict[str, Quiz]]:
    with ExitStack() as opened:
        made = {}
        for name in ("lab1 A", "lab2 A", "lab3 A", "lab4 B", "lab7 B", "lab8 A"):
            lab, part = name.split()
            solution = submissions.find(spec.load(lab, hidden=False), "solutions")
            made[name] = opened.enter_context(quiz(solution, part, "formulas"))
        yield made


def drafts(quiz: Quiz, kind: str, count: int) -> list[Draft]:
    found = []
    for number in range(3 * count):
        try:
            found.append(KINDS[kind].ask(quiz.program, Random(number)))
        except CannotTell:
            continue
        if len(found) == count:
            break
    assert len(found) == count
    return found


def ints(pattern: str, text: str) -> list[int]:
    match = re.search(pattern, text)
    assert match, (pattern, text)
    return [int(group) for group in match.groups()]


@pytest.mark.slow("builds and traces five solutions")
def test_two_hundred_keys_equal_formulas(quizzes: dict[str, Quiz]) -> None:
    checked = 0
    for part, high in (("lab2 A", BLOCK_HEIGHT), ("lab3 A", BLOCK_HEIGHT), ("lab4 B", TILE)):
        for draft in drafts(quizzes[part], "writer", 15):
            y, x = ints(r"out\[y=(\d+)\]\[x=(\d+)\]", draft.text)
            bx, by, tx, ty = x // BLOCK_WIDTH, y // high, x % BLOCK_WIDTH, y % high
            assert draft.answer == f"thread ({tx}, {ty}) of block ({bx}, {by})", draft
            checked += 1
        for draft in drafts(quizzes[part], "blocks", 6):
            width, height = ints(r"(\d+) x (\d+) pixels", draft.text)
            across, down = (width + BLOCK_WIDTH - 1) // BLOCK_WIDTH, (height + high - 1) // high
            assert draft.answer == across * down, draft
            checked += 1
        draft = drafts(quizzes[part], "occupancy", 1)[0]
        shared = (TILE + 16) ** 2 * 4 if part == "lab4 B" else 0
        most = min(2048 // (BLOCK_WIDTH * high), 32, 228 * 1024 // (shared + 1024))
        assert draft.answer == most, draft
        checked += 1
        for draft in drafts(quizzes[part], "sectors", 30):
            if "store to d_out" not in draft.text:
                continue
            width, _ = quizzes[part].program.trace.size
            warp, bx, by = ints(r"warp (\d+) of block \((\d+), (\d+)\)", draft.text)
            first = ((by * high + warp) * width + bx * BLOCK_WIDTH) * 4
            lanes = min(BLOCK_WIDTH, width - bx * BLOCK_WIDTH)
            assert draft.answer == (first + 4 * lanes - 1) // 32 - first // 32 + 1, draft
            checked += 1
    for part in ("lab1 A", "lab2 A", "lab3 A", "lab4 B"):
        for draft in drafts(quizzes[part], "shift", 12):
            a, b = ints(r"a = (-?\d+) \(column\), b = (-?\d+)", draft.text)
            y, x = ints(r"out\[y=(\d+)\]\[x=(\d+)\]", draft.text)
            assert draft.answer == f"image[y={y + b}][x={x + a}]", draft
            checked += 1
        for draft in drafts(quizzes[part], "border", 12):
            width, height = ints(r"(\d+) x (\d+) pixels", draft.text)
            a, b = ints(r"a = (-?\d+) \(column\), b = (-?\d+)", draft.text)
            y, x = ints(r"out\[y=(\d+)\]\[x=(\d+)\]", draft.text)
            row, column = sorted((0, y + b, height - 1))[1], sorted((0, x + a, width - 1))[1]
            is_pixel = (row, column) == (y + b, x + a) or "REPLICATE" in draft.text
            assert draft.answer == (f"image[y={row}][x={column}]" if is_pixel else "0"), draft
            checked += 1
        for draft in drafts(quizzes[part], "taps", 8):
            width, height = ints(r"(\d+) x (\d+) pixels", draft.text)
            y, x = ints(r"out\[y=(\d+)\]\[x=(\d+)\]", draft.text)
            inside = sum(
                0 <= y + b < height and 0 <= x + a < width for b in (-1, 0, 1) for a in (-1, 0, 1)
            )
            assert draft.answer == inside, draft
            checked += 1
    for draft in drafts(quizzes["lab4 B"], "banks", 10):
        assert draft.answer == 1, "neighbouring lanes use neighbouring words"
        checked += 1
    for draft in drafts(quizzes["lab8 A"], "grey", 20):
        r, g, b = ints(r"R = (\d+), G = (\d+), B = (\d+)", draft.text)
        wr, wg, wb = ints(r"r = (\d+), g = (\d+), b = (\d+)", draft.text)
        assert draft.answer == (wr * r + wg * g + wb * b + 16384) // 32768, draft
        checked += 1
    for draft in drafts(quizzes["lab7 B"], "channel", 12):
        channels, masks, number = ints(
            r"(\d+) channels with a bank of (\d+) masks .* Weight (\d+) of", draft.text
        )
        n, y, x = ints(r"out\[n=(\d+)\]\[y=(\d+)\]\[x=(\d+)\]", draft.text)
        c = number - n * channels  # bank[n * channels + c], of lab7.h; a mask has one pixel
        is_of_mask = 0 <= c < channels and n < masks
        assert draft.answer == (f"image[c={c}][y={y}][x={x}]" if is_of_mask else "0"), draft
        checked += 1
    for part in ("lab1 A", "lab2 A"):
        for draft in drafts(quizzes[part], "last_bit", 12):
            y, x = ints(r"image\[y=(\d+)\]\[x=(\d+)\] is 1", draft.text)
            v, u = ints(r"out\[y=(\d+)\]\[x=(\d+)\]", draft.text)
            before = 3 * (y - v + 1) + (x - u + 1)  # terms of half an ulp, before the 1
            # They fill (before / 2) ulp, rounded to even; each later one is half an ulp too.
            ulps = before // 2 + (before % 2 and before // 2 % 2)
            ulps += ulps % 2 if before < 8 else 0
            assert draft.answer == ulps, draft
            checked += 1
    assert checked >= 200, checked
