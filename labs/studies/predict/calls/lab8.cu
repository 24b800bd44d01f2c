#include "call.h"
#include "lab_cuda.h"

static struct need colours(const struct call *c) {
    const size_t pixels = (size_t)c->a * c->b;
    const struct need need = {3 * pixels, 0, pixels, 0, BYTES};
    return need;
}

static cudaError_t grey_launch(const struct call *c) {
    const struct weights weights = {6966, 23436, 2366};
    return grey_device((const uint8_t *)c->d_in, (size_t)c->a * c->b, weights, (uint8_t *)c->d_out,
                       0);
}

extern "C" const struct function call_functions[] = {
    {"grey_device", colours, NULL, grey_launch}, {NULL}};
