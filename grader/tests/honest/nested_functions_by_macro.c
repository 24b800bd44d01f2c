/* An honest file: nested functions by macro. */
#define JOIN(a, b) a##b
#define FILTER(size)                                             \
    float JOIN(filter_, size)(const float *row);                 \
    float JOIN(filter_, size)(const float *row) {                \
        float sum = 0;                                           \
        for (int i = 0; i < size; i++)                           \
            sum += row[i];                                       \
        return sum;                                              \
    }
FILTER(3)
FILTER(5)
FILTER(7)
