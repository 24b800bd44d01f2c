/* Compiled for this machine's vector units and with fused multiply-adds: see the Makefile. */
#include "calibrate.h"

#include "clock.h"

#include <string.h>

#if defined __AVX512F__
#define VECTOR_BYTES 64
#elif defined __AVX__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

typedef float vector __attribute__((vector_size(VECTOR_BYTES)));

enum {
    CHAINS = 12, /* independent of each other: a multiply-add takes 4 or 5 cycles, two start in each
                    cycle, and 12 chains with the two operands fit into 16 registers */
    STEPS = 20000,
    LANES = VECTOR_BYTES / (int)sizeof(float),
    REPEATS = 20,
    THREAD_REPEATS = 10, /* about 0.3 ms */
};

static volatile float sink;
static volatile uint64_t seen;

/* Does STEPS * CHAINS * LANES multiply-adds in registers. It starts from a number that the compiler
 * does not know and returns the result, so that the compiler can leave none out. */
static float work(float start) {
    vector chain[CHAINS];
    vector factor, summand;
    for (int lane = 0; lane < LANES; lane++) {
        factor[lane] = 0.999f;
        summand[lane] = 0.001f * (float)lane;
    }
    for (int i = 0; i < CHAINS; i++)
        chain[i] = summand * (float)i + start;
    for (int step = 0; step < STEPS; step++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            chain[i] = chain[i] * factor + summand;
    }
    vector sum = chain[0];
    for (int i = 1; i < CHAINS; i++)
        sum += chain[i];
    return sum[0] + sum[LANES - 1];
}

double calibrate_mac_rate(void) {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t start = clock_thread_ns();
        sink = work(sink);
        const uint64_t taken = clock_thread_ns() - start;
        best = taken < best ? taken : best;
    }
    return (double)STEPS * CHAINS * LANES / ((double)best * 1e-9);
}

/* Reads all bytes, eight at a time, and returns a value that depends on them. */
static uint64_t read_through(const char *from, size_t bytes) {
    uint64_t all = 0;
    for (size_t i = 0; i + sizeof all <= bytes; i += sizeof all) {
        uint64_t word;
        memcpy(&word, from + i, sizeof word);
        all ^= word;
    }
    return all;
}

uint64_t calibrate_one_copy_ns(void *to, size_t written, const void *from, size_t read) {
    const size_t both = read < written ? read : written;
    const uint64_t start = clock_thread_ns();
    memcpy(to, from, both);
    memset((char *)to + both, 0, written - both);
    seen = read_through((const char *)from + both, read - both);
    __asm__ volatile("" : : "r"(to) : "memory"); /* so that the compiler keeps the copy */
    return clock_thread_ns() - start;
}

uint64_t calibrate_copy_ns(void *to, size_t written, const void *from, size_t read) {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < REPEATS; i++) {
        const uint64_t taken = calibrate_one_copy_ns(to, written, from, read);
        best = taken < best ? taken : best;
    }
    return best;
}

struct calibration calibrate_threads(int threads) {
    uint64_t busy = 0;
    const uint64_t start = clock_ns();
    (void)threads; /* without OpenMP there is one thread */
#pragma omp parallel num_threads(threads) reduction(max : busy)
    {
        const uint64_t mine = clock_thread_ns();
        for (int i = 0; i < THREAD_REPEATS; i++)
            sink = work(sink);
        busy = clock_thread_ns() - mine;
    }
    return (struct calibration){clock_ns() - start, busy};
}
