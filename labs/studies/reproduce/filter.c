#include "filter.h"

#include "io/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct npy plane(const char *path) {
    struct npy a;
    char error[256];

    if (npy_read(path, &a, error, sizeof error) != 0) {
        timing_fail("%s", error);
    }
    if (a.ndim != 2 || strcmp(a.type, "<f4") != 0 || a.bytes == 0) {
        timing_fail("%s: not a plane of float32", path);
    }
    return a;
}

struct filter filter_open(int argc, char **argv) {
    if (argc < 7) {
        timing_fail("usage: %s IMAGE.npy MASK.npy zero|replicate RUNS SECONDS FOLDER [ROW]...",
                    argv[0]);
    }
    const struct npy image = plane(argv[1]), mask = plane(argv[2]);
    if (mask.shape[0] != mask.shape[1] || mask.shape[0] % 2 == 0) {
        timing_fail("%s: a mask is square, its side odd", argv[2]);
    }
    return (struct filter){
        .image = image.data,
        .mask = mask.data,
        .out = timing_alloc(image.bytes),
        .image_bytes = image.bytes,
        .mask_bytes = mask.bytes,
        .width = image.shape[1],
        .height = image.shape[0],
        .radius = mask.shape[0] / 2,
        .border = strcmp(argv[3], "zero") == 0 ? BORDER_ZERO : BORDER_REPLICATE,
        .limit = timing_limit(argv[4], argv[5]),
        .folder = argv[6],
        .only = argv + 7,
    };
}

bool filter_wants(const struct filter *f, const char *row) {
    for (char **only = f->only; *only != NULL; only++) {
        if (strcmp(*only, row) == 0) {
            return true;
        }
    }
    return *f->only == NULL;
}

void filter_poison(struct filter *f) {
    memset(f->out, 0xff, f->image_bytes);
}

void filter_save(const struct filter *f, const char *row) {
    const struct npy out = {.type = "<f4",
                            .ndim = 2,
                            .shape = {f->height, f->width},
                            .bytes = f->image_bytes,
                            .data = f->out};
    char path[4096], error[256];

    snprintf(path, sizeof path, "%s/%s.npy", f->folder, row);
    if (npy_write(path, &out, error, sizeof error) != 0) {
        timing_fail("%s", error);
    }
}

void filter_close(struct filter *f) {
    free(f->image);
    free(f->mask);
    free(f->out);
}
