/* Pictures: PNG and PNM in, PNG out. */
#pragma once

#include <stddef.h>

#define IMAGE_MAX_SIDE 32768
#define IMAGE_MAX_PIXELS ((size_t)1 << 28)

/* Reads a PNG or binary PNM (P5, P6) picture as luminance Y = 0.2126 R + 0.7152 G + 0.0722 B in
 * 0..1. *pixels is height x width floats, row by row; the caller frees it.
 *
 * Of 16 bits a channel the upper 8 are used; transparency is left out; grey is R = G = B. Exactly,
 * and in datasets/generate.py too: (float)((2126 R + 7152 G + 722 B) / 2550000.0), R, G, B in
 * 0..255, the sum an integer, the division in double.
 *
 * Refuses pictures above IMAGE_MAX_SIDE on a side or IMAGE_MAX_PIXELS in all, files above 1 GB,
 * files that are cut off, files with something after the picture, and PNG with an empty chunk of
 * pixels. Returns 0, or -1 with a one-line reason in `error` (`size` bytes, always terminated). */
int image_read(const char *path, float **pixels, int *width, int *height, char *error, size_t size);

/* Writes |pixels| scaled so that the largest becomes 255, rounded to nearest, as Ichimura, 2018,
 * shows his results. Not-a-number is drawn black, infinity white; neither counts as the largest.
 * Replaces `path`. Returns 0, or -1 with a reason in `error`. */
int image_write(const char *path, const float *pixels, int width, int height, char *error,
                size_t size);
