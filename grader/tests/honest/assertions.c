/* An honest file: assertions. */
#include <assert.h>
#include <stddef.h>
static_assert(sizeof(float) == 4, "a float has 4 bytes");
float pixel(const float *image, int width, int x);
float pixel(const float *image, int width, int x) {
    assert(image != NULL);
    assert(x >= 0 && x < width);
    return image[x];
}
