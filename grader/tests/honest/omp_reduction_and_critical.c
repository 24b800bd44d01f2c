/* An honest file: omp reduction and critical. */
#include <omp.h>
double mean(const float *image, int count);
double mean(const float *image, int count) {
    double sum = 0, largest = 0;
#pragma omp parallel for reduction(+ : sum) reduction(max : largest)
    for (int i = 0; i < count; i++) {
        sum += (double)image[i];
        largest = image[i] > largest ? (double)image[i] : largest;
    }
#pragma omp parallel num_threads(4)
    {
#pragma omp critical
        sum += 1;
#pragma omp critical(named)
        sum -= 1;
#pragma omp atomic
        sum += 0.5;
#pragma omp barrier
#pragma omp master
        sum += 1;
#pragma omp single nowait
        sum += 1;
    }
    return sum / count + largest;
}
