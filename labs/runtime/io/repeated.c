#include "repeated.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE ((size_t)4096)

/* Opens the file at whose end the array's data is: whole pages from *from on. Below 0: it is not.
 */
static int open_data(const char *path, size_t bytes, size_t *from) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool fits = file >= 0 && fstat(file, &status) == 0 && (size_t)status.st_size >= bytes &&
                      ((size_t)status.st_size - bytes) % PAGE == 0;
    if (file >= 0 && !fits) {
        close(file);
        file = -1;
    }
    *from = fits ? (size_t)status.st_size - bytes : 0;
    return file;
}

static int place_in_own_memory(void *at, size_t bytes, int file, size_t from) {
    return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file,
                (off_t)from) != MAP_FAILED;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

bool repeated_show(const struct repeated *r, void *at, repeated_place *place) {
    bool shows = r->file >= 0 && (uintptr_t)at % PAGE == 0;
    for (size_t done = 0; shows && done < r->shown; done += r->period)
        shows = place((char *)at + done, smaller(r->period, r->shown - done), r->file, r->from);
    return shows;
}

/* The array in pages of its file, or NULL. */
static void *in_pages(struct repeated *r, const char *path) {
    if (r->period % PAGE != 0 || r->shown % PAGE != 0)
        return NULL;
    void *data =
        mmap(NULL, r->shown, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        return NULL;
    r->file = open_data(path, r->period, &r->from);
    if (repeated_show(r, data, place_in_own_memory))
        return data;
    if (r->file >= 0)
        close(r->file);
    r->file = -1;
    munmap(data, r->shown);
    return NULL;
}

/* The array in ordinary memory, or NULL. */
static void *copied(const struct repeated *r, const char *content) {
    char *data = malloc(r->shown + 1);
    for (size_t done = 0; data && done < r->shown; done += r->period)
        memcpy(data + done, content, smaller(r->period, r->shown - done));
    return data;
}

bool repeated_lengthen(struct repeated *r, struct npy *a, const char *path, struct npy longer) {
    memcpy(longer.type, a->type, sizeof longer.type);
    if (npy_bytes(longer.type, longer.ndim, longer.shape, &longer.bytes) != 0 || a->bytes == 0 ||
        longer.bytes < a->bytes)
        return false;
    *r = (struct repeated){-1, 0, a->bytes, longer.bytes};
    longer.data = in_pages(r, path);
    if (!longer.data)
        longer.data = copied(r, a->data);
    if (!longer.data)
        return false;
    npy_free(a);
    *a = longer;
    return true;
}

void repeated_free(struct repeated *r, struct npy *a) {
    if (r->file >= 0) {
        munmap(a->data, a->bytes);
        close(r->file);
        a->data = NULL;
    }
    r->file = -1;
    npy_free(a);
}
