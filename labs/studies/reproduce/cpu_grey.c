/* Source 001 on the CPU: the ladder from a loop to AVX, with lab 8's functions.
 *
 *   cpu_grey WIDTH HEIGHT RUNS SECONDS
 *
 * The image is noise. Every step must give the bytes of the step before. */
#include "grey_fma.h"
#include "lab.h"
#include "timing.h"

#include <stdlib.h>
#include <string.h>

typedef void convert(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);

struct job {
    convert *function;
    const uint8_t *rgb;
    int width, height;
    uint8_t *grey;
};

static void work(void *context) {
    const struct job *j = context;
    const struct weights w = WEIGHTS_601; /* those of source 001 */

    j->function(j->rgb, j->width, j->height, w, j->grey);
}

static int always(void) {
    return 1;
}

static int has_ssse3(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("ssse3");
#else
    return 0;
#endif
}

static int has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return 0;
#endif
}

int main(int argc, char **argv) {
    static const struct {
        const char *row;
        convert *function;
        int (*works)(void);
    } steps[] = {
        {"baseline", baseline_grey, always}, {"openmp", grey_openmp, always},
        {"rows", grey_rows, always},         {"fma", grey_fma, grey_fma_works},
        {"sse", grey_sse, has_ssse3},        {"avx2", grey_avx2, has_avx2},
    };
    if (argc != 5) {
        timing_fail("usage: %s WIDTH HEIGHT RUNS SECONDS", argv[0]);
    }
    const struct limit limit = timing_limit(argv[3], argv[4]);
    struct job job = {.width = atoi(argv[1]), .height = atoi(argv[2])};
    if (job.width < 1 || job.height < 1) {
        timing_fail("%s x %s pixels", argv[1], argv[2]);
    }
    const size_t pixels = (size_t)job.width * (size_t)job.height;
    uint8_t *rgb = timing_alloc(3 * pixels);
    uint8_t *expected = timing_alloc(pixels);

    timing_noise(rgb, 3 * pixels);
    job.rgb = rgb;
    job.grey = timing_alloc(pixels);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!steps[i].works()) {
            continue;
        }
        memset(job.grey, 0, pixels);
        job.function = steps[i].function;
        timing_cpu(steps[i].row, limit, work, &job);
        if (i == 0) {
            memcpy(expected, job.grey, pixels);
        } else if (memcmp(expected, job.grey, pixels) != 0) {
            timing_fail("%s: not the bytes of %s", steps[i].row, steps[0].row);
        }
    }
    free(rgb);
    free(job.grey);
    free(expected);
    return 0;
}
