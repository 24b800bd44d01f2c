/* Pictures: PNG and PNM in, PNG out. */
#ifndef CONVLABS_IMAGE_H
#define CONVLABS_IMAGE_H

#include <stddef.h>

/* Reads a PNG or PNM picture as luminance Y = 0.2126 R + 0.7152 G + 0.0722 B in 0..1.
 * *pixels is height x width floats, row by row; the caller frees it. Pictures above 32768 on a
 * side or 2^28 pixels are refused. Returns 0, or -1 with a reason in `error`. */
int image_read(const char *path, float **pixels, int *width, int *height, char *error, size_t size);

/* Writes |pixels| scaled so that the largest becomes 255, as source 000 shows its results.
 * Not-a-number is drawn black. Returns 0, or -1 with a reason in `error`. */
int image_write(const char *path, const float *pixels, int width, int height, char *error,
                size_t size);

#endif
