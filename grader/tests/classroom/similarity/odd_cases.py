"""Copies disguised by hand, and pairs that look alike and are none."""

from grader.tests.classroom.similarity import programs

ENTRIES = {lab: programs.entries(lab) for lab in ("lab1", "lab3")}
SOLVED_MASK = """\
    if (!radius_allowed(radius)) {
        return cudaErrorInvalidValue;
    }
    const size_t all = (size_t)(2 * radius + 1) * (2 * radius + 1);
    return cudaMemcpyToSymbol(c_mask, h_mask, all * sizeof(float));
"""
SOLVED_LAUNCH = """\
    if (!radius_allowed(radius)) return cudaErrorInvalidValue;
    const dim3 threads(BLOCK_WIDTH, BLOCK_HEIGHT);
    const dim3 blocks(ceil_div(width, BLOCK_WIDTH), ceil_div(height, BLOCK_HEIGHT));
    constant_kernel<<<blocks, threads>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
"""
# starter-plain-b of lab 1, rewritten by hand: operands swapped, comparisons turned round, tests in
# between, pointers for brackets, another order of statements where that does not matter.
BY_HAND = {
    1: """\
    const long rows = height, columns = width;
    int n = 1 + radius * 2;
    int j = 0;
    while (rows > j) {
        int i = 0;
        while (columns > i) {
            float r; r = 0.0;
            for (int q = 0; n > q; q += 1) {
                int p = 0;
                do {
                    float g;
                    int sx = i + p - radius, sy = j + q - radius;
                    if (BORDER_REPLICATE == border)
                        g = *(image + clamp(sy, 0, height - 1) * width + clamp(sx, 0, width - 1));
                    else if (sx >= 0 && width > sx && sy >= 0 && height > sy)
                        g = *(image + sy * width + sx);
                    else g = 0.0f;
                    r = r + g * *(mask + q * n + p);
                    p = p + 1;
                } while (n > p);
            }
            *(out + j * width + i) = r;
            ++i;
        }
        ++j;
    }
""",
    2: """\
    int lo = clamp(-a, 0, width), hi = clamp(width - a, 0, width), i;
    i = lo;
    while (i < hi) { sum[i] = sum[i] + coefficient * line[a + i]; i++; }
    if (border == BORDER_REPLICATE) {
        for (i = 0; lo > i; ++i) sum[i] += coefficient * *line;
        for (i = hi; width > i; ++i) sum[i] += coefficient * line[width - 1];
    }
""",
    3: """\
    int n; n = radius * 2 + 1;
    int i = 0;
    while (i < width) { *(sum + i) = 0.f; i += 1; }
    for (int q = 0; n > q; ++q) {
        int sy = y + q - radius; int fine = sy >= 0 && height > sy;
        if (BORDER_ZERO == border && !fine) continue;
        const float *source = image + clamp(sy, 0, height - 1) * width;
        int p = 0;
        while (p < n) { add_tap(sum, source, width, p - radius, mask[p + q * n], border); p++; }
    }
""",
}
MACROS = """\
#define real float
#define LOOP for
#define GX blockIdx.x
#define IMG d_image
#define WARP 32
"""
# plain-a of lab 3 with names of its own for types, words and constants.
BY_MACROS = {
    number: text.replace("float", "real").replace("for (", "LOOP (").replace("BLOCK_WIDTH", "WARP")
    for number, text in ENTRIES["lab3"]["plain-a"].items()
} | {0: MACROS}
DEBUGGED = {  # taps-through-a-device-function with what its owner did not need
    number: text.replace("return upload(", "(void)0;\n    return upload(").replace(
        "if (x < (unsigned)width",
        'if (x == 999999u) printf("%d", radius);\n    if (x < (unsigned)width',
    )
    for number, text in ENTRIES["lab3"]["taps-through-a-device-function"].items()
}

# The lab, the source, and the copy.
COPIES: dict[str, tuple[str, str, bytes]] = {
    "rewritten by hand": ("lab1", "starter-plain-b", programs.filled("lab1", BY_HAND)),
    "behind macros": ("lab3", "plain-a", programs.filled("lab3", BY_MACROS)),
    "with lines added": (
        "lab3",
        "taps-through-a-device-function",
        programs.filled("lab3", DEBUGGED),
    ),
}
HELPER = ENTRIES["lab1"]["nearest-helper-and-range"][0]
# The lab and two programs.
NOT_COPIES: dict[str, tuple[str, bytes, bytes]] = {
    "both begin as the solution does": (
        "lab3",
        programs.filled("lab3", {1: SOLVED_MASK, 3: SOLVED_LAUNCH}),
        programs.filled("lab3", {1: SOLVED_MASK.replace("all", "n"), 3: SOLVED_LAUNCH}),
    ),
    "the same helper of two lines": (
        "lab1",
        programs.filled(
            "lab1",
            ENTRIES["lab1"]["macro-index"]
            | {0: HELPER}
            | {0: HELPER + ENTRIES["lab1"]["macro-index"][0]},
        ),
        programs.filled("lab1", ENTRIES["lab1"]["tap-by-tap-image"] | {0: HELPER}),
    ),
    "the starter, and the starter with a comment": (
        "lab3",
        programs.starter("lab3"),
        programs.starter("lab3") + b"/* I ran out of time */\n",
    ),
}
