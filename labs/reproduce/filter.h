/* An image, a mask and a place for the result, as the programs that filter get them:
 *
 *   PROGRAM IMAGE.npy MASK.npy zero|replicate RUNS SECONDS FOLDER
 *
 * IMAGE and MASK are float32. Each method's result goes to FOLDER/<row>.npy. */
#ifndef CONVLABS_REPRODUCE_FILTER_H
#define CONVLABS_REPRODUCE_FILTER_H

#include "timing.h"
#include "border.h"

#include <stddef.h>

struct filter {
    float *image, *mask, *out; /* of the host; filter_close() frees them */
    size_t image_bytes, mask_bytes;
    int width, height, radius;
    enum border border;
    struct limit limit;
    const char *folder;
};

/* Reads the command line and the files; ends the process with a message when something is wrong. */
struct filter filter_open(int argc, char **argv);

/* Before a method: fills `out` with not-a-number, so that a pixel that is not written shows. */
void filter_poison(struct filter *f);

/* After it: writes `out` to FOLDER/<row>.npy. */
void filter_save(const struct filter *f, const char *row);

void filter_close(struct filter *f);

#endif
