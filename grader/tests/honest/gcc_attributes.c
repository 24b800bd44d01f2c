/* An honest file: gcc attributes. */
#define likely(x) __builtin_expect(!!(x), 1)
__attribute__((noinline, noclone)) static int slow(int x) { return x * 3; }
__attribute__((always_inline)) static inline int fast(int x) { return x * 2; }
__attribute__((unused)) static int spare(int x) { return x; }
__attribute__((const)) static int square(int x) { return x * x; }
__attribute__((pure, hot)) static int count(const int *x) { return *x; }
static float tile[64] __attribute__((aligned(64)));
struct __attribute__((packed)) pixel { unsigned char r, g, b; };
int used_all(int x);
int used_all(int x) {
    const float *start = __builtin_assume_aligned(tile, 64);
    switch (x) {
    case 1: x++; __attribute__((fallthrough));
    case 2: x++;
    }
    if (likely(x > 0))
        __builtin_prefetch(start);
    else
        __builtin_unreachable();
    return slow(x) + fast(x) + square(x) + count(&x) + (int)sizeof(struct pixel) + __builtin_popcount(7u)
        + __builtin_clz((unsigned)x) + __builtin_bswap32(1u);
}
