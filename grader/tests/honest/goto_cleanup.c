/* An honest file: goto cleanup. */
#include <stdlib.h>
int copies(int width);
int copies(int width) {
    int result = -1;
    float *a = malloc((size_t)width), *b = NULL;
    if (!a)
        goto end;
    b = malloc((size_t)width);
    if (!b)
        goto end;
    result = 0;
end:
    free(a);
    free(b);
    return result;
}
