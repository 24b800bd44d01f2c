"""Why the worst predictions are off, in words, and which wrong turns are shown beside solutions."""

from __future__ import annotations

# By the name of a call; the counters are those of h200/counters.csv.
WHY = {
    "lab7-poor-one-mask-a-block pointwise_float 300x224x900x0": (
        "The GPU executed 5.0 billion instructions, the model counts 7.3: the PTX computes "
        "64-bit addresses in each round, of which ptxas makes a few additions. The measured "
        "time is that of the L2 cache alone; with all warps resident, latency and instructions "
        "hide behind it, while the model lets these terms overlap only in part."
    ),
    "lab4-right-templates-double correlate_register 4096x4096x3x0": (
        "A value that several of a thread's eight sums need is converted to double once on the "
        "GPU (10 million instructions of the unit for conversions) and for each sum in the "
        "model (21 million), whose largest term that is."
    ),
    "lab7-solution baseline_pointwise_float 64x112x100x0": (
        "The latency term alone, 64 us, is more than the measured time. The PTX has two loads "
        "in a row that do not need one another; ptxas may move more of them ahead. The L1 cache "
        "had a quarter of the sectors, as blocks on one multiprocessor share it; the model "
        "counts each block's own."
    ),
    "lab7-right-one-kernel-dynamic convolution_float 64x112x128x0": (
        "The GPU executed 84 million instructions, the model counts 196 million: the size of the "
        "mask is known at run time only, so the PTX computes indices in each round that ptxas "
        "simplifies."
    ),
    "lab2-right-structs-and-lambdas correlate_device 4096x4096x3x0": (
        "For each tap the kernel calls a function that is not inlined. The GPU executed 973 "
        "million instructions, the model counts 469 million: PTX does not show what a call needs "
        "besides the function's own instructions."
    ),
}

# What is wrong, the call that does it, and the call that does the same better.
TURNS = [
    (turn, wrong.format(size), right.format(size))
    for turn, wrong, right, size in [
        ("uncoalesced loads", "general uncoalesced {}", "general window_of {}", "4096x4096x4x0"),
        ("stores in columns", "general transpose_naive {}", "general transpose_padded {}",
         "4096x4096x0x0"),
        ("bank conflicts", "general transpose_conflicts {}", "general transpose_padded {}",
         "4096x4096x0x0"),
        ("no reuse", "general matmul {}", "general matmul_tile {}", "2048x2048x0x0"),
        ("one thread a block", "general one_thread_blocks {}", "lab2-solution correlate_device {}",
         "512x512x2x0"),
        ("uncoalesced loads", "lab2-poor-lanes-down-a-column correlate_device {}",
         "lab2-right-goto-and-events correlate_device {}", "4096x4096x3x0"),
        ("a sum in memory", "lab2-poor-sum-in-memory correlate_device {}",
         "lab2-right-goto-and-events correlate_device {}", "1024x1024x6x0"),
        ("a sum in memory", "lab2-poor-exact-sum-in-memory correlate_identical {}",
         "lab2-solution correlate_identical {}", "4096x4096x3x0"),
        ("lanes at different constants", "lab3-poor-serialised-bank correlate_polyphase {}",
         "lab3-right-fma-four-pixels correlate_polyphase {}", "4096x4096x3x0"),
        ("the mask in global memory", "lab3-poor-mask-in-global-memory correlate_constant {}",
         "lab3-right-address-of-the-symbol correlate_constant {}", "4096x4096x3x0"),
        ("the masks in global memory", "lab3-poor-bank-in-global-memory correlate_polyphase {}",
         "lab3-right-fma-four-pixels correlate_polyphase {}", "4096x4096x3x0"),
        ("bank conflicts", "lab4-poor-transposed-tile correlate_tile {}",
         "lab4-right-flat-sixteen correlate_tile {}", "4096x4096x3x0"),
        ("no reuse", "lab4-poor-no-shared correlate_register {}",
         "lab4-right-flat-sixteen correlate_register {}", "4096x4096x3x0"),
        ("one output a thread", "lab4-poor-one-output correlate_register {}",
         "lab4-right-flat-sixteen correlate_register {}", "4096x4096x3x0"),
        ("no reuse", "lab5-poor-no-tile correlate_columns {}",
         "lab5-solution correlate_columns {}", "4096x4096x8x0"),
        ("no reuse", "lab5-poor-no-tile correlate_fused {}", "lab5-solution correlate_fused {}",
         "4096x4096x8x0"),
        ("a window for each pixel", "lab5-poor-two-dimensional correlate_fused {}",
         "lab5-solution correlate_fused {}", "4096x4096x8x0"),
        ("uncoalesced accesses", "lab6-poor-baseline filter_coalesced {}",
         "lab6-solution filter_coalesced {}", "4096x4096x8x0"),
        ("bank conflicts", "lab6-solution filter_coalesced {}",
         "lab6-solution filter_conflict_free {}", "4096x4096x8x0"),
        ("no vectors", "lab6-solution filter_conflict_free {}",
         "lab6-solution filter_vectorised {}", "4096x4096x8x0"),
        ("no reuse", "lab7-poor-global-memory pointwise_float {}",
         "lab7-solution pointwise_float {}", "300x224x900x0"),
        ("one mask a block", "lab7-poor-one-mask-a-block pointwise_float {}",
         "lab7-solution pointwise_float {}", "300x224x900x0"),
        ("one output a thread", "lab7-poor-one-output-a-thread convolution_float {}",
         "lab7-solution convolution_float {}", "64x112x128x0"),
        ("byte by byte", "lab8-poor-as-written grey_device {}", "lab8-solution grey_device {}",
         "8192x8192x0x0"),
        ("uncoalesced loads", "lab8-poor-set-vectors grey_device {}",
         "lab8-solution grey_device {}", "8192x8192x0x0"),
    ]
]  # fmt: skip
