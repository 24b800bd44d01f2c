/* An honest file: calloc realloc. */
#include <stdlib.h>
#include <string.h>
float *padded(const float *row, int width, int radius);
float *padded(const float *row, int width, int radius) {
    float *wide = calloc((size_t)(width + 2 * radius), sizeof *wide);
    if (!wide)
        return NULL;
    memcpy(wide + radius, row, (size_t)width * sizeof *row);
    memmove(wide, wide + 1, (size_t)width * sizeof *row);
    float *larger = realloc(wide, (size_t)(width + 4 * radius) * sizeof *wide);
    return larger ? larger : wide;
}
