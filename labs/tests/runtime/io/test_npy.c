/* Check suite of labs/runtime/io/npy.c and file.c: what is read, and files that lie. */
#include "io/npy.h"
#include "test_suite.h"

#include "io/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[40];
static char path[64];
static char error[256];

/* In memory, where there is such a folder: a file that replaces another one waits for a disk. */
static void set_up(void) {
    snprintf(folder, sizeof folder, "%s/convlabs-npy-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.npy", folder);
}

static void tear_down(void) {
    unlink(path);
    rmdir(folder);
}

static void write_made(int major, const char *header, const void *data, size_t bytes) {
    unsigned char head[512] = "\x93NUMPY";
    size_t n = strlen(header);
    size_t start = major == 1 ? 10 : 12;
    head[6] = (unsigned char)major;
    head[8] = (unsigned char)(n & 0xff);
    head[9] = (unsigned char)(n >> 8);
    memcpy(head + start, header, n);
    ck_assert_int_eq(file_write(path, head, start + n, data, bytes, error, sizeof error), 0);
}

/* Writes a file of version `major` with `header` and `bytes` zero bytes, then reads it. */
static int read_made(int major, const char *header, size_t bytes, struct npy *a) {
    unsigned char *zeros = calloc(bytes + 1, 1);
    write_made(major, header, zeros, bytes);
    free(zeros);
    return npy_read(path, a, error, sizeof error);
}

static void refused(const char *header, size_t data, const char *why) {
    struct npy a;
    memset(&a, 0x55, sizeof a);
    ck_assert_msg(read_made(1, header, data, &a) == -1, "accepted: %s", header);
    ck_assert_msg(strstr(error, why) != NULL, "for %s: %s", header, error);
    ck_assert_msg(strncmp(error, path, strlen(path)) == 0, "no path in: %s", error);
    ck_assert_ptr_null(a.data);
    ck_assert_int_eq(a.ndim, 0);
}

#define HEADER(descr, order, shape)                                                                \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

LOOP_TEST(every_type, 0, 4) {
    static const char *const types[] = {"<f4", "<f8", "|u1", "<i4"};
    unsigned char data[48];
    char header[80];
    struct npy b;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(7 * i + 1);
    snprintf(header, sizeof header, HEADER("'%s'", "False", "(2, 3)"), types[_i]);
    const size_t bytes = 6 * npy_element(types[_i]);
    write_made(1, header, data, bytes);
    ck_assert_msg(npy_read(path, &b, error, sizeof error) == 0, "%s", error);
    ck_assert_str_eq(b.type, types[_i]);
    ck_assert_int_eq(b.ndim, 2);
    ck_assert_int_eq(b.shape[0], 2);
    ck_assert_int_eq(b.shape[1], 3);
    ck_assert_uint_eq(b.bytes, bytes);
    ck_assert_mem_eq(b.data, data, bytes);
    npy_free(&b);
    ck_assert_ptr_null(b.data);
    npy_free(&b);
}

LOOP_TEST(every_dimension, 0, NPY_MAX_DIMS + 1) {
    static const char *const headers[] = {
        HEADER("'<f4'", "False", "()"), HEADER("'<f4'", "False", "(2,)"),
        HEADER("'<f4'", "False", "(2, 3)"), HEADER("'<f4'", "False", "(2, 3, 4)"),
        HEADER("'<f4'", "False", "(2, 3, 4, 1)")};
    static const int shape[] = {2, 3, 4, 1};
    struct npy b;
    size_t bytes;
    ck_assert_int_eq(npy_bytes("<f4", _i, shape, &bytes), 0);
    ck_assert_msg(read_made(1, headers[_i], bytes, &b) == 0, "%s", error);
    ck_assert_int_eq(b.ndim, _i);
    ck_assert_mem_eq(b.shape, shape, (size_t)_i * sizeof shape[0]);
    ck_assert_uint_eq(b.bytes, bytes);
    npy_free(&b);
}

TEST(versions_and_spellings_that_numpy_allows) {
    static const struct {
        int major;
        const char *header;
        size_t data;
    } good[] = {
        {1, HEADER("'<f4'", "False", "(2, 3)"), 24},
        {2, HEADER("'<f4'", "False", "(2, 3)") "\n", 24},
        {3, "{'shape':(6,),'fortran_order':False,'descr':\"<f4\"}   \n", 24},
        {1, HEADER("'|u1'", "False", "()"), 1},
        {1, HEADER("'<f8'", "False", "(0,)"), 0},
        {1, HEADER("'<f8'", "False", "(2147483647, 2147483647, 2147483647, 0)"), 0},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct npy a;
        ck_assert_msg(read_made(good[i].major, good[i].header, good[i].data, &a) == 0, "%s", error);
        ck_assert_uint_eq(a.bytes, good[i].data);
        ck_assert_ptr_nonnull(a.data);
        npy_free(&a);
    }
}

TEST(headers_that_lie) {
    refused(HEADER("'<f4'", "False", "(2, 3)"), 23, "needs 24 bytes of data, but it has 23");
    refused(HEADER("'<f4'", "False", "(2, 3)"), 25, "it has 25");
    refused(HEADER("'<f4'", "False", "(-1,)"), 4, "negative");
    refused(HEADER("'<f4'", "False", "(2147483648,)"), 4, "above 2147483647");
    refused(HEADER("'<f4'", "False", "(99999999999999999999999999,)"), 4, "above 2147483647");
    refused(HEADER("'<f4'", "False", "(2147483647, 2147483647, 2147483647, 2147483647)"), 4,
            "16 GB");
    refused(HEADER("'<f8'", "False", "(65536, 32769)"), 8, "16 GB");
    refused(HEADER("'|u1'", "False", "(1, 1, 1, 1, 1)"), 1, "more than 4 dimensions");
    refused(HEADER("'<f4'", "True", "(2, 3)"), 24, "Fortran");
    refused(HEADER("'<f4'", "Maybe", "(2, 3)"), 24, "fortran_order");
}

TEST(types_that_are_not_read) {
    refused(HEADER("'>f4'", "False", "(1,)"), 4, "'>f4'; only");
    refused(HEADER("'<f2'", "False", "(1,)"), 2, "'<f2'");
    refused(HEADER("'|O'", "False", "(1,)"), 8, "'|O'");
    refused(HEADER("[('x', '<f4')]", "False", "(1,)"), 4, "not plain numbers");
    refused(HEADER("'<f4 and a name that is long'", "False", "(1,)"), 4, "not plain numbers");
}

TEST(headers_that_are_not_headers) {
    refused("", 4, "not a dictionary");
    refused("{", 4, "not a dictionary");
    refused("{}", 4, "lacks");
    refused("{'descr': '<f4'", 4, "not a dictionary");
    refused("{'descr': '<f4', 'shape': (1,)}", 4, "lacks");
    refused("{'descr': '<f4', 'descr': '<f4'}", 4, "twice");
    refused("{'descr': '<f4', 'color': 'red'}", 4, "unknown key");
    refused("{'descr': '<f4", 4, "not plain numbers");
    refused(HEADER("'<f4'", "False", "(1)"), 4, "not a tuple");
    refused(HEADER("'<f4'", "False", "(1, 1"), 4, "not a tuple");
    refused(HEADER("'<f4'", "False", "(1.5,)"), 4, "not a tuple");
    refused(HEADER("'<f4'", "False", "(,)"), 4, "whole numbers");
    refused(HEADER("'<f4'", "False", "1"), 4, "not a tuple");
    refused(HEADER("'<f4'", "False", "(1,)") " exec", 4, "after the dictionary");
}

TEST(files_cut_off_anywhere) {
    float data[6] = {1, 2, 3, 4, 5, 6};
    struct npy b;
    write_made(1, HEADER("'<f4'", "False", "(2, 3)"), data, sizeof data);
    unsigned char *file;
    size_t bytes;
    ck_assert_int_eq(file_read(path, 1000, &file, &bytes, error, sizeof error), 0);
    for (size_t n = 0; n < bytes; n++) {
        ck_assert_int_eq(file_write(path, file, n, NULL, 0, error, sizeof error), 0);
        ck_assert_msg(npy_read(path, &b, error, sizeof error) == -1, "%zu bytes were enough", n);
    }
    free(file);
}

/* Whatever one byte becomes, reading ends in an array that fits its shape, or in a reason. */
TEST(every_byte_changed) {
    unsigned char data[6] = {1, 2, 3, 4, 5, 6};
    struct npy b;
    char header[119]; /* with spaces, as NumPy writes it */
    snprintf(header, sizeof header, "%-117s\n", HEADER("'|u1'", "False", "(2, 3)"));
    write_made(1, header, data, sizeof data);
    unsigned char *file;
    size_t bytes;
    ck_assert_int_eq(file_read(path, 1000, &file, &bytes, error, sizeof error), 0);
    int read = 0, not_read = 0;
    for (size_t i = 0; i < bytes - sizeof data; i++) {
        static const unsigned char values[] = {0, ' ', '\'', ')', ',', '0', '9', '}', 0x80, 0xff};
        for (size_t k = 0; k < sizeof values; k++) {
            unsigned char was = file[i];
            file[i] = values[k];
            ck_assert_int_eq(file_write(path, file, bytes, NULL, 0, error, sizeof error), 0);
            file[i] = was;
            error[0] = '\0';
            if (npy_read(path, &b, error, sizeof error) == 0) {
                size_t want;
                ck_assert_int_eq(npy_bytes(b.type, b.ndim, b.shape, &want), 0);
                ck_assert_uint_eq(b.bytes, want);
                npy_free(&b);
                read++;
            } else {
                ck_assert_uint_gt(strlen(error), strlen(path));
                not_read++;
            }
        }
    }
    ck_assert_int_gt(read, 50);
    ck_assert_int_gt(not_read, 400);
    free(file);
}

TEST(not_npy_at_all) {
    struct npy a;
    static const char *const files[] = {"", "x", "\x93NUMPX\x01\x00\x02\x00{}", "P5 1 1 255 x"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        ck_assert_int_eq(file_write(path, files[i], strlen(files[i]), NULL, 0, error, 256), 0);
        ck_assert_int_eq(npy_read(path, &a, error, sizeof error), -1);
        ck_assert_ptr_nonnull(strstr(error, "not a .npy file"));
    }
    ck_assert_int_eq(read_made(4, HEADER("'<f4'", "False", "(1,)"), 4, &a), -1);
    ck_assert_ptr_nonnull(strstr(error, "version"));
    unlink(path);
    ck_assert_int_eq(npy_read(path, &a, error, sizeof error), -1);
    ck_assert_ptr_nonnull(strstr(error, "No such file"));
    ck_assert_int_eq(npy_read(folder, &a, error, sizeof error), -1);
    ck_assert_ptr_nonnull(strstr(error, "not a regular file"));
}

TEST(pipes_and_links_are_refused) {
    char target[80];
    snprintf(target, sizeof target, "%s/target", folder);
    ck_assert_int_eq(symlink(target, path), 0);
    ck_assert_int_eq(file_write(path, "x", 1, NULL, 0, error, sizeof error), -1);
    ck_assert_ptr_nonnull(strstr(error, "is a link"));
    ck_assert_int_eq(access(target, F_OK), -1);
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    struct npy b;
    ck_assert_int_eq(npy_read(path, &b, error, sizeof error), -1);
    ck_assert_ptr_nonnull(strstr(error, "not a regular file"));
    ck_assert_int_eq(file_write(path, "x", 1, NULL, 0, error, sizeof error), -1);
}

/* A limit on file sizes stands for a full disk: the first write is short, the next one fails. */
TEST(a_short_write_is_noticed) {
    static unsigned char data[100000];
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){50000, 50000}), 0);
    ck_assert_int_eq(file_write(path, NULL, 0, data, sizeof data, error, sizeof error), -1);
    ck_assert_ptr_nonnull(strstr(error, "File too large"));
    ck_assert_int_eq(file_write("/nonexistent/a", NULL, 0, data, 1, error, sizeof error), -1);
    ck_assert_ptr_nonnull(strstr(error, "No such file"));
}

SUITE_BETWEEN("npy", set_up, tear_down)
