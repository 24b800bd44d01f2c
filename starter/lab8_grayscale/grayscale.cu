/* Lab 8, part E: from colour to grey on a GPU, plain, pinned and in streams.
 *
 * What to do   Fill in the TODOs, in order. labs/lab8_grayscale/lab_cuda.h says what each function
 *              must do.
 * Build        make lab8                  (make lab8-test: unit tests)
 * Grade        ./grade lab8               (no GPU needed: a simulator runs this file)
 * One check    ./grade lab8 -k streamed
 * Stuck?       ./grade hint lab8 E
 * The idea     handouts/lab8.md
 */
#include "lab_cuda.h"

enum { BLOCK = 256, QUAD = 4 }; /* threads per block; pixels per thread */

inline size_t ceil_div(size_t count, size_t size) {
    return (count + size - 1) / size;
}

/* ---- the kernel ---- */

__device__ inline unsigned grey_of(unsigned red, unsigned green, unsigned blue, struct weights w) {
    return (w.r * red + w.g * green + w.b * blue + 16384) >> 15;
}

__global__ void grey_kernel(const uint8_t *d_rgb, size_t pixels, struct weights w,
                            uint8_t *d_grey) {
    /* TODO 1: let thread i convert pixels 4i to 4i + 3. If all four exist, read their 12 bytes as
     * three words (`unsigned`) and write one word:
     *
     *   words   R1 B0 G0 R0 | G2 R2 B1 G1 | B3 G3 R3 B2      (the highest byte of a word first)
     *
     * If fewer exist, convert them byte by byte.  (about 14 lines) */
    (void)d_rgb, (void)pixels, (void)w, (void)d_grey;
}

cudaError_t grey_device(const uint8_t *d_rgb, size_t pixels, struct weights w, uint8_t *d_grey,
                        cudaStream_t stream) {
    /* TODO 2: launch grey_kernel in `stream` with enough blocks of BLOCK threads, 4 pixels per
     * thread, and return what cudaGetLastError() returns.  (about 3 lines) */
    (void)d_rgb, (void)pixels, (void)w, (void)d_grey, (void)stream;
    return cudaErrorNotSupported;
}

/* ---- to the device and back ---- */

cudaError_t grey_plain(const uint8_t *h_rgb, int width, int height, struct weights w,
                       uint8_t *h_grey) {
    /* TODO 3: as in lab 2: allocate both images, copy rgb to the device, call grey_device() in
     * stream 0, copy grey back, free. Keep the first error and return it.  (about 18 lines) */
    (void)h_rgb, (void)width, (void)height, (void)w, (void)h_grey;
    return cudaErrorNotSupported;
}

/* Pins both images in place. On an error, neither is pinned. */
static cudaError_t pin(const uint8_t *h_rgb, uint8_t *h_grey, size_t pixels) {
    /* TODO 4: call cudaHostRegister() for both, with cudaHostRegisterDefault; if the second call
     * fails, unpin the first image. It takes a pointer without const.  (about 9 lines) */
    (void)h_rgb, (void)h_grey, (void)pixels;
    return cudaErrorNotSupported;
}

static void unpin(const uint8_t *h_rgb, uint8_t *h_grey) {
    cudaHostUnregister((void *)h_rgb);
    cudaHostUnregister(h_grey);
}

cudaError_t grey_pinned(const uint8_t *h_rgb, int width, int height, struct weights w,
                        uint8_t *h_grey) {
    /* TODO 5: call pin(), and if it succeeds, grey_plain() and unpin().  (about 6 lines) */
    (void)h_rgb, (void)width, (void)height, (void)w, (void)h_grey;
    return cudaErrorNotSupported;
}

/* ---- in sections that overlap in time ---- */

/* Queues one section in `stream`: the copy to the device, the conversion and the copy back. */
static cudaError_t queue_section(const uint8_t *h_rgb, uint8_t *d_rgb, size_t pixels,
                                 struct weights w, uint8_t *d_grey, uint8_t *h_grey,
                                 cudaStream_t stream) {
    /* TODO 6: call cudaMemcpyAsync() to the device, grey_device(), cudaMemcpyAsync() back, each
     * only if the call before it succeeded.  (about 9 lines) */
    (void)h_rgb, (void)d_rgb, (void)pixels, (void)w, (void)d_grey, (void)h_grey;
    (void)stream;
    return cudaErrorNotSupported;
}

/* Queues all sections of an image of `pixels` pixels, alternating between the streams. */
static cudaError_t queue_all(const uint8_t *h_rgb, uint8_t *d_rgb, size_t pixels, struct weights w,
                             int chunks, uint8_t *d_grey, uint8_t *h_grey,
                             const cudaStream_t *streams) {
    /* TODO 7: compute the size of a section, a multiple of QUAD. Call queue_section() for each one,
     * in streams[i % STREAMS]; the last is shorter. Stop at the first error.  (about 10 lines) */
    (void)h_rgb, (void)d_rgb, (void)pixels, (void)w, (void)chunks, (void)d_grey;
    (void)h_grey, (void)streams, (void)queue_section;
    return cudaErrorNotSupported;
}

cudaError_t grey_streamed(const uint8_t *h_rgb, int width, int height, struct weights w, int chunks,
                          uint8_t *h_grey) {
    /* TODO 8: call pin(), allocate both images on the device, create STREAMS streams, and call
     * queue_all(). Then wait for every stream that was created, even after an error: queued work
     * still uses the memory. Return an error of that wait too. Destroy, free, unpin.
     * (about 28 lines) */
    (void)h_rgb, (void)width, (void)height, (void)w, (void)chunks, (void)h_grey;
    (void)pin, (void)unpin, (void)queue_all;
    return cudaErrorNotSupported;
}
