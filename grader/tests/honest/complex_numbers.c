/* An honest file: complex numbers. */
#include <complex.h>
double spectrum(const float *row, int width, int k);
double spectrum(const float *row, int width, int k) {
    double complex sum = 0;
    for (int x = 0; x < width; x++)
        sum += (double)row[x] * cexp(-2.0 * I * 3.14159265358979 * k * x / width);
    return cabs(sum) + creal(sum * conj(sum)) + __real__ sum - __imag__ sum;
}
