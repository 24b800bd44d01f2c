/* An honest file: stack memory. */
#include <alloca.h>
#include <string.h>
float first(int width);
float first(int width) {
    float *row = alloca((size_t)width * sizeof *row);
    memset(row, 0, (size_t)width * sizeof *row);
    return row[width / 2];
}
