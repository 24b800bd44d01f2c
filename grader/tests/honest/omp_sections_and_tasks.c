/* An honest file: omp sections and tasks. */
#include <omp.h>
void halves(float *image, int count);
static void half(float *image, int count) {
    for (int i = 0; i < count; i++)
        image[i] += 1.0f;
}
void halves(float *image, int count) {
#pragma omp parallel sections
    {
#pragma omp section
        half(image, count / 2);
#pragma omp section
        half(image + count / 2, count - count / 2);
    }
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        half(image, count / 2);
#pragma omp taskwait
#pragma omp taskloop grainsize(4)
        for (int i = 0; i < count; i++)
            image[i] -= 1.0f;
    }
}
