/* An honest file: qsort median. */
#include <stdlib.h>
static int compare(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}
float median(float *values, int count);
float median(float *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    const float key = values[0];
    return bsearch(&key, values, (size_t)count, sizeof *values, compare) ? values[count / 2] : 0.0f;
}
