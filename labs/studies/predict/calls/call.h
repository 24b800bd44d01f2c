/* One call of a lab's function, in the same words for a GPU, where it was timed, and for the
 * simulator (once.cu calls it once). */
#ifndef CONVLABS_PREDICT_CALL_H
#define CONVLABS_PREDICT_CALL_H

#include <cuda_runtime_api.h>
#include <stddef.h>

/* The arguments of a call and its buffers. a, b, c and d are width, height, radius and 0; in lab 7
 * channels, side of the image, masks and 0; in lab 8 width, height, 0, 0. */
struct call {
    int a, b, c, d;
    const void *d_in, *d_mask;
    void *d_out, *d_between;
};

/* What the input consists of. */
enum words { BYTES, FLOATS, DOUBLES };

/* The sizes of its buffers in bytes. */
struct need {
    size_t in, mask, out, between;
    enum words words;
};

/* A function of a lab: what its buffers need, what comes before (a mask in constant memory; may be
 * NULL; h_mask has mask bytes), and the call itself. */
struct function {
    const char *name;
    struct need (*need)(const struct call *call);
    cudaError_t (*prepare)(const struct call *call, const void *h_mask);
    cudaError_t (*launch)(const struct call *call);
};

#ifdef __cplusplus
extern "C" {
#endif
/* All functions of a library; the last one has no name. */
extern const struct function call_functions[];
#ifdef __cplusplus
}
#endif

/* The buffers of the labs that filter one image of floats. */
static inline struct need call_image(const struct call *call) {
    const size_t image = (size_t)call->a * call->b * sizeof(float), side = 2 * (size_t)call->c + 1;
    const struct need need = {image, 4 * side * side * sizeof(float), image, image, FLOATS};
    return need;
}

/* The calls of functions with the usual arguments: (mask), no mask, and a buffer between. */
#define CALL_IMAGE(F)                                                                              \
    static cudaError_t F##_launch(const struct call *c) {                                          \
        return F((const float *)c->d_in, c->a, c->b, c->c, BORDER_ZERO, (float *)c->d_out);        \
    }
#define CALL_MASK(F)                                                                               \
    static cudaError_t F##_launch(const struct call *c) {                                          \
        return F((const float *)c->d_in, c->a, c->b, (const float *)c->d_mask, c->c, BORDER_ZERO,  \
                 (float *)c->d_out);                                                               \
    }
#define CALL_BETWEEN(F)                                                                            \
    static cudaError_t F##_launch(const struct call *c) {                                          \
        return F((const float *)c->d_in, c->a, c->b, c->c, BORDER_ZERO, (float *)c->d_between,     \
                 (float *)c->d_out);                                                               \
    }
#define PREPARE_MASK(F)                                                                            \
    static cudaError_t F##_prepare(const struct call *c, const void *h_mask) {                     \
        return F((const float *)h_mask, c->c);                                                     \
    }
#define PREPARE_LINES(F)                                                                           \
    static cudaError_t F##_prepare(const struct call *c, const void *h_mask) {                     \
        return F((const float *)h_mask, (const float *)h_mask, c->c);                              \
    }
/* An entry of call_functions. */
#define FUNCTION(F, PREPARE) {#F, call_image, PREPARE, F##_launch}

#endif
