/* From one case of the runner to one call of the student's function. */
#include "lab.h"
#include "runner/openmp_threads.h"
#include "runner/runner.h"

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

/* Settings: border = zero | replicate; threads = how many threads OpenMP may use (part C). */
void lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const int height = image->shape[0], width = image->shape[1];
    float *out = runner_output(r, "out", image->bytes);

    openmp_threads(r);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(parts[i].part, runner_part(r)) == 0) {
            runner_calls_student();
            parts[i].function(image->data, width, height, mask->data, mask->shape[0] / 2,
                              runner_border(r), out);
            return;
        }
    }
    runner_no_such_part(r);
}
