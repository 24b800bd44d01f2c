/* An image, a mask and a place for the result, as the programs that filter get them:
 *
 *   PROGRAM IMAGE.npy MASK.npy zero|replicate RUNS SECONDS FOLDER [ROW]...
 *
 * IMAGE and MASK are float32. Each method's result goes to FOLDER/<row>.npy. With ROWs only those
 * are run, by the programs that have more than one. */
#ifndef CONVLABS_REPRODUCE_FILTER_H
#define CONVLABS_REPRODUCE_FILTER_H

#include "border.h"
#include "timing.h"

#include <stdbool.h>
#include <stddef.h>

struct filter {
    float *image, *mask, *out; /* of the host; filter_close() frees them */
    size_t image_bytes, mask_bytes;
    int width, height, radius;
    enum border border;
    struct limit limit;
    const char *folder;
    char **only; /* the ROWs, ended by NULL */
};

/* Reads the command line and the files; ends the process with a message when something is wrong. */
struct filter filter_open(int argc, char **argv);

/* Whether a row is to be run. */
bool filter_wants(const struct filter *f, const char *row);

/* Before a method: fills `out` with not-a-number, so that a pixel that is not written shows. */
void filter_poison(struct filter *f);

/* After it: writes `out` to FOLDER/<row>.npy. */
void filter_save(const struct filter *f, const char *row);

void filter_close(struct filter *f);

#endif
