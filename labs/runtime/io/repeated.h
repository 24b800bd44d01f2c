/* An array whose elements come again and again, in memory that takes no room until it is written:
 * it shows the same pages of its file wherever they come. Where that cannot be, as with elements
 * that are not whole pages, it is ordinary memory. */
#pragma once

#include "npy.h"

#include <stdbool.h>
#include <stddef.h>

/* The array has `shown` bytes, which are `period` bytes of the file again and again. */
struct repeated {
    int file;    /* below 0: there is none */
    size_t from; /* where they begin in it */
    size_t period, shown;
};

/* Puts `bytes` bytes of a file, from the one at `from` on, in the place of the memory at `at`; all
 * of them whole pages. They are the memory's own once it is written. Returns 0 for a failure. */
typedef int repeated_place(void *at, size_t bytes, int file, size_t from);

/* Gives an array that was read from `path` the shape of `longer`, which needs no data, by beginning
 * again with its first element after its last one. Returns false when out of memory or where there
 * are fewer elements than before. */
bool repeated_lengthen(struct repeated *r, struct npy *a, const char *path, struct npy longer);

/* Shows the whole array at another address. Whether that was possible. */
bool repeated_show(const struct repeated *r, void *at, repeated_place *place);

/* npy_free() of an array that was made longer. */
void repeated_free(struct repeated *r, struct npy *a);
