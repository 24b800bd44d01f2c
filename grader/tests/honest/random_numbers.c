/* An honest file: random numbers. */
#include <stdlib.h>
#include <time.h>
void noise(float *pixels, int count);
void noise(float *pixels, int count) {
    srand((unsigned)time(NULL));
    for (int i = 0; i < count; i++)
        pixels[i] = (float)rand() / (float)RAND_MAX + (float)drand48();
}
