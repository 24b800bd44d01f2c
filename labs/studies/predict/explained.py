"""Why the worst predictions are off, in words, and which wrong turns are shown beside solutions."""

# By the name of a call; the counters are those of h200/counters.csv.
WHY = {
    "lab4-right-templates-double correlate_register 4096x4096x3x0": (
        "The GPU executed 62 million instructions, the model counts 200: of a template, nvcc "
        "unrolls all loops, keeps the tile in registers and converts a value that several sums "
        "need to double once; g++ computes indices and converts for each sum."
    ),
    "lab3-right-address-of-the-symbol correlate_polyphase 4096x4096x3x0": (
        "The GPU executed 321 million instructions, the model counts 656: the kernel reads its "
        "constants through a pointer, whose indices g++ computes for each tap."
    ),
    "lab7-right-registers-only convolution_float 64x112x128x0": (
        "As for masks-only; nvcc keeps the sums in registers, g++ in an array of the thread."
    ),
    "lab3-right-fma-four-pixels correlate_polyphase 4096x4096x3x0": (
        "nvcc unrolls the loops over taps, whose indices are then constants; g++ computes them."
    ),
    "lab7-right-masks-only convolution_float 64x112x128x0": (
        "The GPU executed 56 million instructions, the model counts 127: nvcc unrolls the loops "
        "over taps, whose indices are then constants."
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
