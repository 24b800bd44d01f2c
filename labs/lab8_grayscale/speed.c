/* What is timed in lab 8: parts B to D on the CPU, and on a GPU the kernel of part E. Part A is
 * slow by design, and the copies of part E take the bus's time: neither is timed. */
#include "bench/bench.h"
#include "lab_cuda.h"

#include <string.h>

typedef void on_cpu(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);
typedef cudaError_t on_device(const uint8_t *d_rgb, size_t pixels, struct weights w,
                              uint8_t *d_grey, cudaStream_t stream);

const struct bench_part lab_parts[] = {
    {"B", {{"grey_rows"}, {"baseline_grey"}}, 0},
    {"C", {{"grey_sse"}, {"baseline_grey"}}, 0},
    {"D", {{"grey_avx2"}, {"baseline_grey"}}, 0},
    {"E", {{"grey_device"}, {"baseline_grey"}}, 0},
    {0},
};

int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out) {
    static const struct weights bt709 = WEIGHTS_709, bt601 = WEIGHTS_601;
    const bool is_601 = strcmp(bench_option(job, "--weights", "709"), "601") == 0;
    const struct weights w = is_601 ? bt601 : bt709;

    if (strcmp(job->part, "E") == 0) {
        const size_t pixels = (size_t)job->width * (size_t)job->height;
        return (int)((on_device *)side->function[0])(d_image, pixels, w, d_out, NULL);
    }
    ((on_cpu *)side->function[0])(d_image, job->width, job->height, w, d_out);
    return 0;
}
