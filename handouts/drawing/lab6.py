"""The figures of lab 6."""

from handouts.drawing.canvas import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE_BLUE,
    PALE_GREEN,
    PALE_GREY,
    PALE_ORANGE,
    RED,
    WHITE,
    Drawing,
    bars,
)
from handouts.facts import counted_list


def sectors() -> Drawing:
    """The sectors that a load of 32 floats touches: down a column, misaligned, aligned."""
    d = Drawing(  # as wide as a phone
        352,
        324,
        "32 floats down a column, from the middle of a sector, from its beginning",
        "A warp that reads 32 floats down a column touches 32 sectors and uses 4 bytes of "
        "each. 32 neighbouring floats that begin in the middle of a sector touch five "
        "sectors, and four sectors if they begin with a sector.",
    )
    cell, left = 8, 16
    rows = (
        ("down a column", "32 sectors", RED),
        ("from block − 6", "5 sectors", ORANGE),
        ("from block − 8", "4 sectors", GREEN),
    )
    for k, (what, count, colour) in enumerate(rows):
        top = 38 + k * 82 + (20 if k else 0)
        d.text(left, top - 10, what, 13, weight="bold")
        d.text(left + 40 * cell, top - 10, count, 13, colour, "end")
        if k == 0:
            for line in range(3):
                y = top + line * 18
                for i in range(40):
                    fill = PALE_ORANGE if i < 8 else WHITE
                    d.rect(left + i * cell, y, cell, 12, fill, FAINT)
                d.rect(left, y, cell, 12, ORANGE, INK)
                for i in range(5):
                    d.rect(left + 8 * i * cell, y, 8 * cell, 12, "none", GREY, 1.4)
            d.text(left, top + 66, "⋮ 29 more rows, 4 of 32 bytes used in each", 12, GREY)
            continue
        start = 2 if k == 1 else 0
        for i in range(40):
            used = start <= i < start + 32
            touched = i < 40 if k == 1 else i < 32
            fill = BLUE if used else PALE_ORANGE if touched else WHITE
            d.rect(left + i * cell, top, cell, 20, fill, FAINT)
        for i in range(5):
            d.rect(left + 8 * i * cell, top, 8 * cell, 20, "none", GREY, 1.4)
        d.text(left + 7 * cell, top + 37, "↑ the block begins here", 12, GREY)
    d.text(left, 282, "A frame is a sector: 32 bytes, 8 floats.", 12, GREY)
    d.text(left, 298, "strong: what the lanes asked for", 12, BLUE)
    d.text(left, 314, "pale: what came with it", 12, ORANGE)
    return d


def banks() -> Drawing:
    """In which banks the lanes of a warp read a tile data[x][y]: pitch 48, pitch 49."""
    d = Drawing(
        790,
        300,
        "Lane u reads word u times pitch: banks for a pitch of 48 and of 49",
        "Two rows of 32 banks. With a pitch of 48 words, 16 lanes read from bank 0 and 16 "
        "from bank 16: 16 wavefronts. With a pitch of 49 each lane reads from another "
        "bank: 1 wavefront.",
    )
    cell, left = 20, 110
    for k, pitch in enumerate((48, 49)):
        top = 66 + k * 122
        d.text(24, top - 24, f"pitch {pitch}", 15, weight="bold")
        d.text(24, top + 14, "bank", 12, GREY)
        d.text(24, top + 46, "lanes", 12, GREY)
        for bank in range(32):
            lanes = [u for u in range(32) if u * pitch % 32 == bank]
            fill = PALE_GREY if not lanes else PALE_GREEN if len(lanes) == 1 else PALE_ORANGE
            d.rect(left + bank * cell, top, cell, 20, fill, GREY, 0.8)
            d.text(left + (bank + 0.5) * cell, top + 14, str(bank), 11, INK, "middle")
            if len(lanes) == 1:
                d.text(left + (bank + 0.5) * cell, top + 45, str(lanes[0]), 11, GREEN, "middle")
            elif lanes:
                some = ", ".join(str(u) for u in lanes[:4])
                d.text(left + bank * cell, top + 45, f"{some}, … {lanes[-1]}", 11, RED)
        wavefronts = (
            "16 lanes in each of 2 banks: 16 wavefronts"
            if k == 0
            else "one lane per bank: 1 wavefront"
        )
        d.text(left, top + 68, wavefronts, 12.5, RED if k == 0 else GREEN)
    d.text(
        24,
        288,
        "The bank of a word is its index mod 32. A bank serves one word per wavefront.",
        12,
        GREY,
    )
    return d


def window() -> Drawing:
    """Four results of a row pass of radius 8 from twenty pixels."""
    d = Drawing(
        790,
        236,
        "Four neighbouring results from 20 pixels: five float4",
        "A row of 20 pixels, numbered −8 to 11, read as five float4. Under it are four "
        "results, each with its window of 17 pixels, shifted by one.",
    )
    cell, left, top = 32, 120, 60
    d.text(24, 34, "a lane of part C, row pass", 15, weight="bold")
    for i in range(20):
        d.rect(left + i * cell, top, cell, 28, PALE_BLUE if i // 4 % 2 else WHITE, GREY, 0.8)
        d.text(left + (i + 0.5) * cell, top + 18, str(i - 8).replace("-", "−"), 11, INK, "middle")
    for i in range(5):
        d.rect(left + 4 * i * cell, top, 4 * cell, 28, "none", BLUE, 1.8)
    d.text(24, top + 18, "window", 12, GREY)
    for k in range(4):
        y = top + 42 + 22 * k
        d.rect(left + k * cell, y, 17 * cell, 14, PALE_ORANGE, ORANGE)
        d.rect(left + (k + 8) * cell, y, cell, 14, PALE_GREEN, GREEN)
        d.text(24, y + 12, f"result {k}", 12, GREY)
    d.text(24, 218, "5 loads of a float4 for 4 · 17 taps:", 12.5)
    d.text(270, 218, "0.039 shared loads of a warp per pixel instead of 0.53", 12.5, GREEN)
    return d


def repaired() -> Drawing:
    """What the simulator counted at each step. Parts A, B and C add 17 taps, those beyond the
    radius with 0."""
    steps = {
        "baseline": ("baseline", RED),
        "A": ("A: coalesced", ORANGE),
        "B": ("B: no conflicts", BLUE),
        "C": ("C: vectors", GREEN),
    }
    runs = [run for run in counted_list.read()["lab6"].runs if run.part in steps]

    def counts(counter: str) -> list[tuple[str, float, str]]:
        return [
            (steps[run.part][0], float(f"{run.counters[counter] / run.pixels:.3g}"), colour)
            for run, (_, colour) in zip(runs, steps.values(), strict=True)
        ]

    return bars(
        "both passes, radius 6, 256×64: counts per pixel (baseline: 13 taps; A, B, C: 17)",
        "",
        [
            ("sectors read from global memory", counts("global_load_sectors")),
            ("wavefronts of shared loads", counts("shared_load_wavefronts")),
        ],
    )
