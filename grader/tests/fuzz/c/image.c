/* labs/runtime/io/image.c, and stb's readers of PNG and PNM behind it: pixels are in 0..1. */
#include "io/image.h"

#include "file.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    static int descriptor = -1;
    char path[PATH_BYTES], error[ERROR_BYTES];
    put_file(&descriptor, path, input, size);
    float *pixels;
    int width, height;
    memset(error, 'x', sizeof error);
    if (image_read(path, &pixels, &width, &height, error, sizeof error) != 0) {
        REQUIRE(memchr(error, '\0', sizeof error) != NULL && error[0] != '\0');
        REQUIRE(pixels == NULL && width == 0 && height == 0);
        return 0;
    }
    REQUIRE(width > 0 && width <= IMAGE_MAX_SIDE && height > 0 && height <= IMAGE_MAX_SIDE);
    REQUIRE((size_t)width * (size_t)height <= IMAGE_MAX_PIXELS);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
        REQUIRE(pixels[i] >= 0.0F && pixels[i] <= 1.0F);
    }
    free(pixels);
    return 0;
}
