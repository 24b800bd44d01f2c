/* Lab 8, part E: from colour to grey on a GPU, plain, pinned and in streams.
 *
 * What to do   Fill in the TODOs, in order. labs/lab8_grayscale/lab_cuda.h says what each function
 *              must do.
 * Build, grade make lab8 && ./grade lab8          (no GPU needed: a simulator runs this file)
 * One check    ./grade lab8 -k streamed
 * Unit tests   make lab8-test
 * Stuck?       ./grade hint lab8 E
 * The idea     handouts/lab8.md
 */
#include "lab_cuda.h"

enum { BLOCK = 256, QUAD = 4 }; /* threads of a block; pixels of a thread */

inline size_t ceil_div(size_t count, size_t size) {
    return (count + size - 1) / size;
}

/* ---- the kernel ---- */

__device__ inline unsigned grey_of(unsigned red, unsigned green, unsigned blue, struct weights w) {
    return (w.r * red + w.g * green + w.b * blue + 16384) >> 15;
}

__global__ void grey_kernel(const uint8_t *d_rgb, size_t pixels, struct weights w,
                            uint8_t *d_grey) {
    /* TODO 1: thread i converts pixels 4i to 4i + 3. When all four exist, it reads their 12 bytes
     * as three words (`unsigned`) and writes one word:
     *
     *   words   R1 B0 G0 R0 | G2 R2 B1 G1 | B3 G3 R3 B2      (the highest byte of a word first)
     *
     * When fewer exist, it goes byte by byte.  (about 14 lines) */
    (void)d_rgb, (void)pixels, (void)w, (void)d_grey;
}

cudaError_t grey_device(const uint8_t *d_rgb, size_t pixels, struct weights w, uint8_t *d_grey,
                        cudaStream_t stream) {
    /* TODO 2: launch grey_kernel in `stream` with enough blocks of BLOCK threads, 4 pixels for each
     * thread, and return what cudaGetLastError() says.  (about 3 lines) */
    (void)d_rgb, (void)pixels, (void)w, (void)d_grey, (void)stream;
    return cudaErrorNotSupported;
}

/* ---- there and back ---- */

cudaError_t grey_plain(const uint8_t *h_rgb, int width, int height, struct weights w,
                       uint8_t *h_grey) {
    /* TODO 3: as in lab 2: allocate twice, copy there, grey_device() in stream 0, copy back, free.
     * Keep the first error and return it.  (about 18 lines) */
    (void)h_rgb, (void)width, (void)height, (void)w, (void)h_grey;
    return cudaErrorNotSupported;
}

/* Pins both images where they lie. On an error neither is pinned. */
static cudaError_t pin(const uint8_t *h_rgb, uint8_t *h_grey, size_t pixels) {
    /* TODO 4: cudaHostRegister() for both, cudaHostRegisterDefault; when the second fails, unpin
     * the first. The function takes a pointer without const.  (about 9 lines) */
    (void)h_rgb, (void)h_grey, (void)pixels;
    return cudaErrorNotSupported;
}

static void unpin(const uint8_t *h_rgb, uint8_t *h_grey) {
    cudaHostUnregister((void *)h_rgb);
    cudaHostUnregister(h_grey);
}

cudaError_t grey_pinned(const uint8_t *h_rgb, int width, int height, struct weights w,
                        uint8_t *h_grey) {
    /* TODO 5: pin(), grey_plain(), unpin().  (about 6 lines) */
    (void)h_rgb, (void)width, (void)height, (void)w, (void)h_grey;
    return cudaErrorNotSupported;
}

/* ---- in pieces that overlap ---- */

/* Queues one section: its way there, its conversion and its way back, all in `stream`. */
static cudaError_t queue_section(const uint8_t *h_rgb, uint8_t *d_rgb, size_t pixels,
                                 struct weights w, uint8_t *d_grey, uint8_t *h_grey,
                                 cudaStream_t stream) {
    /* TODO 6: cudaMemcpyAsync() there, grey_device(), cudaMemcpyAsync() back; a step is made only
     * when the one before succeeded.  (about 9 lines) */
    (void)h_rgb, (void)d_rgb, (void)pixels, (void)w, (void)d_grey, (void)h_grey;
    (void)stream;
    return cudaErrorNotSupported;
}

/* Queues all sections of an image of `pixels` pixels, turn by turn in the streams. */
static cudaError_t queue_all(const uint8_t *h_rgb, uint8_t *d_rgb, size_t pixels, struct weights w,
                             int chunks, uint8_t *d_grey, uint8_t *h_grey,
                             const cudaStream_t *streams) {
    /* TODO 7: the size of a section, a multiple of QUAD; then queue_section() for each, the last
     * one shorter, in streams[i % STREAMS]. Stop at the first error.  (about 10 lines) */
    (void)h_rgb, (void)d_rgb, (void)pixels, (void)w, (void)chunks, (void)d_grey;
    (void)h_grey, (void)streams, (void)queue_section;
    return cudaErrorNotSupported;
}

cudaError_t grey_streamed(const uint8_t *h_rgb, int width, int height, struct weights w, int chunks,
                          uint8_t *h_grey) {
    /* TODO 8: pin(); allocate both images on the device; make STREAMS streams; queue_all(). Then
     * wait for every stream that was made, even after an error: what is queued still uses the
     * memory. An error that shows only while waiting counts too. Destroy, free, unpin.
     * (about 28 lines) */
    (void)h_rgb, (void)width, (void)height, (void)w, (void)chunks, (void)h_grey;
    (void)pin, (void)unpin, (void)queue_all;
    return cudaErrorNotSupported;
}
