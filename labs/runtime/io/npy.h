/* Arrays in NumPy's .npy format, version 1.0 to 3.0, C order, little endian.
 *
 * Element types: "<f4", "<f8", "|u1", "<i4". At most 4 dimensions; a side of 0 is allowed.
 */
#pragma once

#include <stddef.h>

#define NPY_MAX_DIMS 4

struct npy {
    char type[4];            /* NumPy's descriptor, such as "<f4" */
    int ndim;                /* 0 for a single number */
    int shape[NPY_MAX_DIMS]; /* slowest dimension first: an image is {height, width} */
    size_t bytes;            /* of `data` */
    void *data;              /* owned, never NULL; npy_free() releases it */
};

/* Bytes of one element of `type`, or 0 for a type that is not one of the four above. */
size_t npy_element(const char *type);

/* Bytes of an array of that type and shape, into *bytes. Returns 0, or -1 for an unknown type, more
 * than NPY_MAX_DIMS dimensions, a negative side or more than 16 GB. */
int npy_bytes(const char *type, int ndim, const int *shape, size_t *bytes);

/* Reads `path` whole. Returns 0, or -1 with a one-line reason in `error` (`size` bytes, always
 * terminated) and *a zeroed. Rejects other types, Fortran order, sizes that do not match the file,
 * and arrays above 16 GB. */
int npy_read(const char *path, struct npy *a, char *error, size_t size);

/* Releases the data and zeroes *a; safe to call twice. */
void npy_free(struct npy *a);
