/* An honest file: omp parallel for. */
#include <omp.h>
void rows(float *image, int width, int height);
void rows(float *image, int width, int height) {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            image[y * width + x] *= (float)omp_get_thread_num();
}
