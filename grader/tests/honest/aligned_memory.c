/* An honest file: aligned memory. */
#include <stdlib.h>
float *aligned_row(size_t width);
float *aligned_row(size_t width) {
    void *memory = NULL;
    if (posix_memalign(&memory, 64, width * sizeof(float)) != 0)
        return NULL;
    free(aligned_alloc(64, 1024));
    return memory;
}
