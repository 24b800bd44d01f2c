#include "npy.h"

#include "file.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "arrays are read and written as they lie in memory: little endian"
#endif

#define MAX_BYTES ((size_t)16 << 30)
#define MAX_HEADER ((size_t)1 << 16)

static const char magic[6] = "\x93NUMPY";

size_t npy_element(const char *type) {
    static const struct {
        char type[4];
        size_t bytes;
    } known[] = {{"<f4", 4}, {"<f8", 8}, {"|u1", 1}, {"<i4", 4}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(type, known[i].type) == 0)
            return known[i].bytes;
    return 0;
}

int npy_bytes(const char *type, int ndim, const int *shape, size_t *bytes) {
    size_t total = npy_element(type);
    if (total == 0 || ndim < 0 || ndim > NPY_MAX_DIMS)
        return -1;
    bool empty = false;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0)
            return -1;
        empty = empty || shape[d] == 0;
    }
    /* An empty array has 0 bytes, however long its other sides. */
    for (int d = 0; d < ndim && !empty; d++) {
        if ((size_t)shape[d] > MAX_BYTES / total)
            return -1;
        total *= (size_t)shape[d];
    }
    *bytes = empty ? 0 : total;
    return 0;
}

/* The header is a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (61, 97), } */
struct parser {
    const char *at, *end;
    char *error;
    size_t size;
};

static bool refuse(struct parser *p, const char *why) {
    snprintf(p->error, p->size, "%s", why);
    return false;
}

static void skip_spaces(struct parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n'))
        p->at++;
}

/* Takes `c` if it is next, after spaces. */
static bool take(struct parser *p, char c) {
    skip_spaces(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static bool take_word(struct parser *p, const char *word) {
    skip_spaces(p);
    size_t n = strlen(word);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* A quoted string without escapes, shorter than `size`. */
static bool take_string(struct parser *p, char *text, size_t size) {
    skip_spaces(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
        return false;
    char quote = *p->at++;
    size_t n = 0;
    while (p->at < p->end && *p->at != quote && n + 1 < size)
        text[n++] = *p->at++;
    text[n] = '\0';
    return p->at < p->end && *p->at++ == quote;
}

static bool take_side(struct parser *p, int *side) {
    skip_spaces(p);
    if (p->at < p->end && *p->at == '-')
        return refuse(p, "a side of its shape is negative");
    if (p->at == p->end || *p->at < '0' || *p->at > '9')
        return refuse(p, "its shape is not a tuple of whole numbers");
    long long value = 0;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        value = value * 10 + (*p->at++ - '0');
        if (value > INT_MAX)
            return refuse(p, "a side of its shape is above 2147483647");
    }
    *side = (int)value;
    return true;
}

static bool take_shape(struct parser *p, struct npy *a) {
    if (!take(p, '('))
        return refuse(p, "its shape is not a tuple");
    while (!take(p, ')')) {
        if (a->ndim == NPY_MAX_DIMS)
            return refuse(p, "it has more than 4 dimensions");
        if (!take_side(p, &a->shape[a->ndim]))
            return false;
        a->ndim++;
        if (!take(p, ',')) {
            /* (5) is a number in Python, not a tuple. */
            if (a->ndim == 1 || !take(p, ')'))
                return refuse(p, "its shape is not a tuple");
            return true;
        }
    }
    return true;
}

static bool take_type(struct parser *p, struct npy *a) {
    char type[16];
    if (!take_string(p, type, sizeof type))
        return refuse(p, "its elements are not plain numbers");
    if (npy_element(type) == 0) {
        snprintf(p->error, p->size, "its elements are '%s'; only <f4, <f8, |u1 and <i4 are read",
                 type);
        return false;
    }
    memcpy(a->type, type, sizeof a->type);
    return true;
}

static bool take_order(struct parser *p) {
    if (take_word(p, "True"))
        return refuse(p, "it is in Fortran order; save numpy.ascontiguousarray(it) instead");
    return take_word(p, "False") || refuse(p, "its fortran_order is neither True nor False");
}

static bool take_header(struct parser *p, struct npy *a) {
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    bool seen[3] = {false, false, false};
    if (!take(p, '{'))
        return refuse(p, "its header is not a dictionary");
    while (!take(p, '}')) {
        char key[16];
        if (!take_string(p, key, sizeof key) || !take(p, ':'))
            return refuse(p, "its header is not a dictionary");
        int k = 0;
        while (k < 3 && strcmp(key, keys[k]) != 0)
            k++;
        if (k == 3 || seen[k])
            return refuse(p, "its header has an unknown key, or one twice");
        seen[k] = true;
        if (k == 0 ? !take_type(p, a) : k == 1 ? !take_order(p) : !take_shape(p, a))
            return false;
        if (!take(p, ',')) {
            if (!take(p, '}'))
                return refuse(p, "its header is not a dictionary");
            break;
        }
    }
    skip_spaces(p);
    if (p->at != p->end)
        return refuse(p, "its header has something after the dictionary");
    return (seen[0] && seen[1] && seen[2]) ||
           refuse(p, "its header lacks descr, fortran_order or shape");
}

/* Parses the file in `file` into *a, all but the data. Returns the offset of the data, or 0. */
static size_t parse(const unsigned char *file, size_t bytes, struct npy *a, char *error,
                    size_t size) {
    struct parser p = {NULL, NULL, error, size};
    if (bytes < 10 || memcmp(file, magic, sizeof magic) != 0) {
        refuse(&p, "not a .npy file");
        return 0;
    }
    int major = file[6];
    if (major < 1 || major > 3 || file[7] != 0) {
        refuse(&p, "a version of .npy other than 1.0, 2.0 and 3.0");
        return 0;
    }
    size_t start = major == 1 ? 10 : 12;
    size_t length = (size_t)file[8] | (size_t)file[9] << 8;
    if (major > 1 && bytes >= start)
        length |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
    if (length > MAX_HEADER || start + length > bytes) {
        refuse(&p, "its header is cut off or too long");
        return 0;
    }
    p.at = (const char *)file + start;
    p.end = p.at + length;
    if (!take_header(&p, a))
        return 0;
    if (npy_bytes(a->type, a->ndim, a->shape, &a->bytes) != 0) {
        refuse(&p, "it is above 16 GB");
        return 0;
    }
    if (bytes - start - length != a->bytes) {
        snprintf(error, size, "its shape needs %zu bytes of data, but it has %zu", a->bytes,
                 bytes - start - length);
        return 0;
    }
    return start + length;
}

int npy_read(const char *path, struct npy *a, char *error, size_t size) {
    memset(a, 0, sizeof *a);
    unsigned char *file = NULL;
    size_t bytes = 0;
    if (file_read(path, MAX_BYTES + MAX_HEADER + 12, &file, &bytes, error, size) != 0)
        return -1;
    char why[160];
    size_t start = parse(file, bytes, a, why, sizeof why);
    if (start == 0) {
        snprintf(error, size, "%s: %s", path, why);
        free(file);
        memset(a, 0, sizeof *a);
        return -1;
    }
    /* The data moves to the front of its own allocation, where it is aligned for every type. */
    memmove(file, file + start, a->bytes);
    /* No slack behind it, so that a checker sees an access past the end. */
    void *exact = a->bytes > 0 ? realloc(file, a->bytes) : NULL;
    a->data = exact ? exact : file;
    return 0;
}

void npy_free(struct npy *a) {
    free(a->data);
    memset(a, 0, sizeof *a);
}
