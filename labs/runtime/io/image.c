#include "image.h"

#include "file.h"
#include "stb.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE ((size_t)1 << 30)
_Static_assert(STBI_MAX_DIMENSIONS == IMAGE_MAX_SIDE, "stb reads what image_read() does");

static size_t big_endian(const unsigned char *p) {
    return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | (size_t)p[3];
}

/* NULL, or why a picture of that size is refused. */
static const char *refused_size(size_t width, size_t height) {
    if (width == 0 || height == 0)
        return "it has no pixels";
    if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE || width > IMAGE_MAX_PIXELS / height)
        return "it is larger than 32768 on a side or 2^28 pixels";
    return NULL;
}

/* stb reads past what is wrong; these look at the file's frame first. NULL, or what is wrong. */

static const char *wrong_png(const unsigned char *file, size_t bytes) {
    size_t at = 8;
    /* A chunk: length, name, `length` bytes, checksum. The first is IHDR, the last IEND. */
    for (bool first = true;; first = false) {
        if (bytes - at < 12)
            return "it is cut off";
        size_t length = big_endian(file + at);
        const unsigned char *name = file + at + 4;
        if (length > bytes - at - 12)
            return "it is cut off";
        if (first) {
            if (length != 13 || memcmp(name, "IHDR", 4) != 0)
                return "its first chunk is not IHDR";
            const char *why = refused_size(big_endian(name + 4), big_endian(name + 8));
            if (why)
                return why;
        }
        if (length == 0 && memcmp(name, "IDAT", 4) == 0)
            return "it has an empty chunk of pixels"; /* to a null pointer stb would copy it */
        at += 12 + length;
        if (memcmp(name, "IEND", 4) == 0)
            return at == bytes ? NULL : "it has something after the end of the picture";
    }
}

/* The next number of a PNM header, after spaces and # comments; -1 if there is none. */
static long pnm_number(const unsigned char *file, size_t bytes, size_t *at) {
    while (*at < bytes && (file[*at] == '#' || strchr(" \t\n\v\f\r", file[*at]))) {
        if (file[*at] == '\0')
            return -1; /* strchr finds the terminator too */
        if (file[*at] == '#')
            while (*at < bytes && file[*at] != '\n' && file[*at] != '\r')
                ++*at;
        else
            ++*at;
    }
    long value = -1;
    for (; *at < bytes && file[*at] >= '0' && file[*at] <= '9'; ++*at) {
        value = (value < 0 ? 0 : value) * 10 + (file[*at] - '0');
        if (value > 1000000)
            return value; /* too large for anything a header says */
    }
    return value;
}

static const char *wrong_pnm(const unsigned char *file, size_t bytes) {
    size_t at = 2;
    long width = pnm_number(file, bytes, &at);
    long height = pnm_number(file, bytes, &at);
    long most = pnm_number(file, bytes, &at);
    if (width < 0 || height < 0 || most < 0 || at == bytes)
        return "its header is cut off or not a PNM header";
    const char *why = refused_size((size_t)width, (size_t)height);
    if (why)
        return why;
    if (most != 255)
        return "its largest value is not 255, and only 8 bits a channel are read";
    at++; /* the one space before the pixels */
    size_t want = (size_t)width * (size_t)height * (file[1] == '6' ? 3 : 1);
    if (bytes - at < want)
        return "it is cut off";
    return bytes - at == want ? NULL : "it has something after the end of the picture";
}

static const char *wrong_file(const unsigned char *file, size_t bytes) {
    if (bytes >= 8 && memcmp(file, "\x89PNG\r\n\x1a\n", 8) == 0)
        return wrong_png(file, bytes);
    if (bytes >= 2 && file[0] == 'P' && (file[1] == '5' || file[1] == '6'))
        return wrong_pnm(file, bytes);
    return "not a PNG picture, nor a binary PGM or PPM (P5, P6)";
}

int image_read(const char *path, float **pixels, int *width, int *height, char *error,
               size_t size) {
    *pixels = NULL;
    *width = *height = 0;
    unsigned char *file = NULL;
    size_t bytes = 0;
    if (file_read(path, MAX_FILE, &file, &bytes, error, size) != 0)
        return -1;
    const char *why = wrong_file(file, bytes);
    unsigned char *rgb = NULL;
    int w = 0, h = 0, channels = 0;
    if (!why) {
        rgb = stbi_load_from_memory(file, (int)bytes, &w, &h, &channels, 3);
        why = rgb ? NULL : stbi_failure_reason();
    }
    free(file);
    size_t n = (size_t)w * (size_t)h;
    float *y = rgb ? malloc(n * sizeof *y) : NULL;
    if (!y) {
        snprintf(error, size, "%s: %s", path, why ? why : "not enough memory for its pixels");
        free(rgb);
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        const unsigned char *p = rgb + 3 * i;
        y[i] = (float)((2126 * p[0] + 7152 * p[1] + 722 * p[2]) / 2550000.0);
    }
    free(rgb);
    *pixels = y;
    *width = w;
    *height = h;
    return 0;
}

/* |pixels| to 0..255; see image_write. */
static void post_process(const float *pixels, size_t n, unsigned char *grey) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double v = fabs((double)pixels[i]);
        if (isfinite(v) && v > largest)
            largest = v;
    }
    for (size_t i = 0; i < n; i++) {
        double v = fabs((double)pixels[i]);
        if (isnan(v))
            grey[i] = 0;
        else if (isinf(v))
            grey[i] = 255;
        else
            grey[i] = largest > 0.0 ? (unsigned char)(v / largest * 255.0 + 0.5) : 0;
    }
}

struct target {
    const char *path;
    char *error;
    size_t size;
    int status;
};

/* stb calls this once, with the whole picture. */
static void write_target(void *context, void *data, int bytes) {
    struct target *t = context;
    t->status = file_write(t->path, data, (size_t)bytes, NULL, 0, t->error, t->size);
}

int image_write(const char *path, const float *pixels, int width, int height, char *error,
                size_t size) {
    const char *why = refused_size(width < 0 ? 0 : (size_t)width, height < 0 ? 0 : (size_t)height);
    size_t n = why ? 0 : (size_t)width * (size_t)height;
    unsigned char *grey = why ? NULL : malloc(n);
    if (!grey) {
        snprintf(error, size, "%s: %s", path, why ? why : "not enough memory to draw it");
        return -1;
    }
    post_process(pixels, n, grey);
    struct target target = {path, error, size, -1};
    snprintf(error, size, "%s: not enough memory to compress it", path);
    stbi_write_png_to_func(write_target, &target, width, height, 1, grey, width);
    free(grey);
    return target.status;
}
