#include "call.h"
#include "lab.h"

/* The buffers: an image of a channels and b x b pixels, masks of `taps` pixels; c masks, or 0 for
 * one that all channels share. */
static struct need layers(const struct call *c, size_t taps, size_t element) {
    const size_t pixels = (size_t)c->b * c->b * element;
    const struct need need = {pixels * c->a, taps * (c->c ? (size_t)c->a * c->c : 1) * element,
                              pixels * (c->c ? c->c : c->a), 0, element == 8 ? DOUBLES : FLOATS};
    return need;
}

#define ONE_MASK(F, T)                                                                             \
    static struct need F##_need(const struct call *c) {                                            \
        return layers(c, SIZE *SIZE, sizeof(T));                                                   \
    }                                                                                              \
    static cudaError_t F##_launch(const struct call *c) {                                          \
        return F((const T *)c->d_in, c->a, c->b, c->b, (const T *)c->d_mask, (T *)c->d_out);       \
    }
#define BANK(F, T, TAPS)                                                                           \
    static struct need F##_need(const struct call *c) { return layers(c, TAPS, sizeof(T)); }       \
    static cudaError_t F##_launch(const struct call *c) {                                          \
        return F((const T *)c->d_in, c->a, c->b, c->b, (const T *)c->d_mask, c->c, (T *)c->d_out); \
    }
#define LAYER(F) {#F, F##_need, NULL, F##_launch}

ONE_MASK(depthwise_double, double)
ONE_MASK(depthwise_float, float)
BANK(pointwise_double, double, 1)
BANK(pointwise_float, float, 1)
BANK(convolution_double, double, SIZE *SIZE)
BANK(convolution_float, float, SIZE *SIZE)
ONE_MASK(baseline_depthwise_double, double)
ONE_MASK(baseline_depthwise_float, float)
BANK(baseline_pointwise_double, double, 1)
BANK(baseline_pointwise_float, float, 1)
BANK(baseline_convolution_double, double, SIZE *SIZE)
BANK(baseline_convolution_float, float, SIZE *SIZE)

extern "C" const struct function call_functions[] = {LAYER(depthwise_double),
                                                     LAYER(depthwise_float),
                                                     LAYER(pointwise_double),
                                                     LAYER(pointwise_float),
                                                     LAYER(convolution_double),
                                                     LAYER(convolution_float),
                                                     LAYER(baseline_depthwise_double),
                                                     LAYER(baseline_depthwise_float),
                                                     LAYER(baseline_pointwise_double),
                                                     LAYER(baseline_pointwise_float),
                                                     LAYER(baseline_convolution_double),
                                                     LAYER(baseline_convolution_float),
                                                     {NULL}};
