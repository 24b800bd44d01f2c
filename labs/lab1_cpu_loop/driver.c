/* From one case of the runner to one call of the student's function. */
#include "lab.h"
#include "runner/runner.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <stdlib.h>
#include <string.h>

typedef void correlate(const float *image, int width, int height, const float *mask, int radius,
                       enum border border, float *out);

static const struct {
    const char *part;
    correlate *function;
} parts[] = {
    {"A", correlate_loops},
    {"B", correlate_rows},
    {"C", correlate_openmp},
    {"baseline", baseline_correlate},
};

enum { NO_SUCH_PART = 1 };

/* Settings: border = zero | replicate; threads = how many threads OpenMP may use (part C). */
int lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const int height = image->shape[0], width = image->shape[1];
    const int zero = strcmp(runner_setting(r, "border", "zero"), "zero") == 0;
    float *out = runner_output(r, "out", image->bytes);

#ifdef _OPENMP
    const int threads = atoi(runner_setting(r, "threads", "0"));
    if (threads > 0) {
        omp_set_num_threads(threads);
    }
#endif
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(parts[i].part, runner_part(r)) == 0) {
            parts[i].function(image->data, width, height, mask->data, mask->shape[0] / 2,
                              zero ? BORDER_ZERO : BORDER_REPLICATE, out);
            return 0;
        }
    }
    return NO_SUCH_PART;
}

const char *lab_error(int returned) {
    return returned == NO_SUCH_PART ? "no such part" : "";
}
