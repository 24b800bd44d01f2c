/* Compares the conversion of lab 8's expert with the rule of lab.h, if this processor has AVX2:
 * all small sizes, both kinds of stores, aligned addresses and others, images that end where a page
 * begins that no access is allowed to, and weights at the limits. Prints what differs. */
#define _GNU_SOURCE
#include "expert.c"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGEST = 300, SHIFTS = 3, LONG = 70001 };

/* Memory whose last byte is the last one before a page that is not accessible. */
static uint8_t *fenced(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t open = (bytes + page - 1) / page * page;
    uint8_t *mapping =
        mmap(NULL, open + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (mapping == MAP_FAILED || mprotect(mapping + open, page, PROT_NONE) != 0) {
        perror("mmap");
        _exit(2);
    }
    return mapping + open - bytes;
}

/* Noise with many bytes of 0 and 255, where sums are extreme. */
static void fill(uint8_t *rgb, size_t bytes) {
    uint64_t state = 1;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const unsigned kind = state >> 62;
        rgb[i] = kind == 0 ? 0 : kind == 1 ? 255 : (uint8_t)(state >> 50);
    }
}

/* How many of the pixels are wrong. */
static size_t wrong(const uint8_t *rgb, uint8_t *grey, size_t pixels, struct weights w,
                    bool stream) {
    size_t count = 0;
    memset(grey, 0xa5, pixels);
    convert_vectors(rgb, pixels, w, grey, stream);
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t *p = rgb + 3 * i;
        count += grey[i] != (w.r * p[0] + w.g * p[1] + w.b * p[2] + 16384) / 32768;
    }
    return count;
}

static int check(uint8_t *rgb_end, uint8_t *grey_end) {
    static const struct weights all[] = {
        WEIGHTS_709,       WEIGHTS_601,         {32767, 1, 0},     {1, 32767, 0},
        {0, 1, 32767},     {16384, 16384, 0},   {0, 16384, 16384}, {10923, 10923, 10922},
        {127, 128, 32513}, {16255, 16385, 128}, {255, 32385, 128},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (int stream = 0; stream < 2; stream++) {
            for (size_t pixels = 1; pixels <= LARGEST; pixels++) {
                for (size_t before = 0; before < SHIFTS; before++) {
                    const uint8_t *rgb = rgb_end - 3 * pixels - before;
                    uint8_t *grey = grey_end - pixels - before;
                    if (wrong(rgb, grey, pixels, all[i], stream) > 0) {
                        printf("%zu pixels, weights %zu, stream %d\n", pixels, i, stream);
                        return 1;
                    }
                }
            }
            if (wrong(rgb_end - 3 * LONG, grey_end - LONG, LONG, all[i], stream) > 0) {
                printf("%d pixels, weights %zu, stream %d\n", LONG, i, stream);
                return 1;
            }
        }
    }
    return 0;
}

int main(void) {
    uint8_t *rgb_end = fenced(3 * LONG) + 3 * LONG, *grey_end = fenced(LONG) + LONG;

    fill(rgb_end - 3 * LONG, 3 * LONG);
    return __builtin_cpu_supports("avx2") ? check(rgb_end, grey_end) : 0;
}
