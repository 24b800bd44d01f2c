/* Check suite of labs/runtime/io/repeated.c: the elements come again, in pages that are shared
 * until they are written, or in ordinary memory. */
#include "io/repeated.h"
#include "test_suite.h"

#include "io/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char path[] = "/tmp/convlabs-repeated-XXXXXX";

enum { ROWS = 3, LONGER = 8 };

static struct npy longer(int planes, int rows, int width) {
    return (struct npy){.ndim = 3, .shape = {planes, rows, width}};
}

/* ROWS rows of that width; each element is its own number. */
static struct npy numbered(int width) {
    struct npy a = {"<i4", 2, {ROWS, width}, 0, NULL};
    ck_assert_int_eq(npy_bytes(a.type, a.ndim, a.shape, &a.bytes), 0);
    int *data = malloc(a.bytes);
    ck_assert_ptr_nonnull(data);
    for (int i = 0; i < ROWS * width; i++) {
        data[i] = i;
    }
    a.data = data;
    return a;
}

/* Writes the array's data behind `head` other bytes. */
static void write_behind(const struct npy *a, size_t head) {
    static const char other[8192];
    char error[256];
    close(mkstemp(path));
    ck_assert_int_eq(file_write(path, other, head, a->data, a->bytes, error, sizeof error), 0);
}

static void repeats(const int *data, int width) {
    for (int i = 0; i < 2 * LONGER * width; i++) {
        ck_assert_int_eq(data[i], i % (ROWS * width));
    }
}

static int place_here(void *at, size_t bytes, int file, size_t from) {
    return mmap(at, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, (off_t)from) != MAP_FAILED;
}

TEST(whole_pages_are_shown_again) {
    struct npy a = numbered(1024);
    struct repeated r;
    write_behind(&a, 4096);
    ck_assert(repeated_lengthen(&r, &a, path, longer(2, LONGER, 1024)));
    unlink(path);
    ck_assert_int_ge(r.file, 0);
    ck_assert_int_eq(a.shape[1], LONGER);
    ck_assert_uint_eq(a.bytes, (size_t)2 * LONGER * 4096);
    repeats(a.data, 1024);
    void *elsewhere = mmap(NULL, a.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(elsewhere, MAP_FAILED);
    ((int *)a.data)[5] = -1; /* of this memory and this row alone */
    ck_assert(repeated_show(&r, elsewhere, place_here));
    repeats(elsewhere, 1024);
    ck_assert_int_eq(((int *)a.data)[ROWS * 1024 + 5], 5);
    ck_assert(!repeated_show(&r, (char *)elsewhere + 256, place_here));
    munmap(elsewhere, a.bytes);
    repeated_free(&r, &a);
    ck_assert_ptr_null(a.data);
}

/* Rows of 4004 bytes; data within a page of its file; no file. */
LOOP_TEST(other_rows_are_copied, 0, 3) {
    const int width = _i == 0 ? 1001 : 1024;
    struct npy a = numbered(width);
    struct repeated r;
    write_behind(&a, _i == 0 ? 4096 : 128);
    ck_assert(repeated_lengthen(&r, &a, _i == 2 ? "/nonexistent" : path, longer(2, LONGER, width)));
    unlink(path);
    ck_assert_int_lt(r.file, 0);
    ck_assert(!repeated_show(&r, a.data, place_here));
    repeats(a.data, width);
    repeated_free(&r, &a);
}

TEST(excessive_lengths_are_refused) {
    struct npy a = numbered(3);
    struct repeated r;
    ck_assert(!repeated_lengthen(&r, &a, path, longer(1, ROWS - 1, 3)));
    ck_assert(!repeated_lengthen(&r, &a, path, longer(1 << 15, 1 << 15, 5))); /* above 16 GB */
    npy_free(&a);
}

SUITE("repeated")
