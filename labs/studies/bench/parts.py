"""The parts of the labs that are timed: which function, with which arguments.

The names of arguments are those of device.py and cpu.py, which hold their values; `radius` is that
of the case's mask. A lab's lab.h says what each function does.
"""

from labs.studies.bench.sides import Part

_PLAIN = "image width height mask radius border out"
_SET = "image width height radius border out"
_TWICE = "image width height radius border between out"
_BANK = "image channels height width mask masks out"
_ONE = "image channels height width mask out"
_GREY = "image width height weights out"
_ON_HOST = "h_image width height weights h_out"

LAB1 = {
    part: Part(
        "lab1",
        part,
        f"{name} {_PLAIN}",
        baseline=f"baseline_correlate {_PLAIN}",
        expert=part in "BC",
    )
    for part, name in (("A", "correlate_loops"), ("B", "correlate_rows"), ("C", "correlate_openmp"))
}
LAB2 = {  # its baseline runs on the CPU
    "A": Part("lab2", "A", f"correlate_device {_PLAIN}"),
    "D": Part("lab2", "D", f"correlate_identical {_PLAIN}"),
}
LAB3 = {
    "A": Part(
        "lab3",
        "A",
        f"correlate_constant {_SET}",
        "set_mask h_mask radius",
        f"baseline_correlate {_PLAIN}",
    ),
    "B": Part(
        "lab3",
        "B",
        f"correlate_polyphase {_SET}",
        "set_bank h_mask radius",
        f"baseline_polyphase {_SET}",
        "baseline_set_bank h_mask radius",
    ),
}
LAB4 = {
    part: Part(
        "lab4",
        part,
        f"{name} {_PLAIN if part == 'C' else _SET}",
        "" if part == "C" else "set_mask h_mask radius",
        f"baseline_correlate {_SET}",
        "baseline_set_mask h_mask radius",
        expert=part == "D",
    )
    for part, name in (
        ("A", "correlate_idle"),
        ("B", "correlate_tile"),
        ("C", "correlate_dynamic"),
        ("D", "correlate_register"),
    )
}
LAB5 = {
    part: Part(
        "lab5",
        part,
        f"{name} {_TWICE if part == 'B' else _SET}",
        "set_lines h_column h_row radius",
        f"baseline_correlate {_SET}",
        "baseline_set_mask h_plane radius",
        expert=part == "C",
    )
    for part, name in (
        ("A", "correlate_rows"),
        ("B", "correlate_separable"),
        ("C", "correlate_fused"),
    )
}
LAB6 = {
    part: Part(
        "lab6",
        part,
        f"filter_{name} {_TWICE}",
        "set_lines h_column h_row radius",
        f"baseline_filter {_TWICE}",
        "baseline_set_lines h_column h_row radius",
    )
    for part, name in (("A", "coalesced"), ("B", "conflict_free"), ("C", "vectorised"))
}
LAB7 = {
    (part, kind): Part(
        "lab7",
        part,
        f"{name}_{kind} {_ONE if part == 'A' else _BANK}",
        baseline=f"baseline_{name}_{kind} {_ONE if part == 'A' else _BANK}",
        expert=(part, kind) == ("C", "float"),
    )
    for part, name in (("A", "depthwise"), ("B", "pointwise"), ("C", "convolution"))
    for kind in ("double", "float")
}
LAB8 = {
    part: Part(
        "lab8",
        part,
        f"grey_{name} {_GREY}",
        baseline=f"baseline_grey {_GREY}",
        expert=part == "D",
    )
    for part, name in (("A", "openmp"), ("B", "rows"), ("C", "sse"), ("D", "avx2"))
}
LAB8_KERNEL = Part("lab8", "E", "grey_device image pixels weights out stream")
LAB8_HOST = {
    "plain": Part("lab8", "E", f"grey_plain {_ON_HOST}"),
    "pinned": Part("lab8", "E", f"grey_pinned {_ON_HOST}"),
    "streamed": Part("lab8", "E", "grey_streamed h_image width height weights chunks h_out"),
}
