/* Lab 7: layers of several channels, as in neural networks.
 *
 *   A   h(c, y, x) = sum over b, a in 0..2 of f(c, y + b - 1, x + a - 1) g(b, a)
 *   B   h(n, y, x) = sum over c of f(c, y, x) g_n(c)
 *   C   h(n, y, x) = sum over c and b, a in 0..2 of f(c, y + b - 1, x + a - 1) g_n(c, b, a)
 *
 * These are correlations: the masks are not flipped. f is 0 outside the image. All arrays are
 * dense, and the last index varies fastest; c and n select whole planes:
 *
 *   image   channels x height x width: f(c, y, x) is image[(c * height + y) * width + x]
 *   mask    A: 3 x 3: g(b, a) is mask[b * 3 + a]
 *   bank    B: masks x channels: g_n(c) is bank[n * channels + c]
 *           C: masks x channels x 3 x 3: g_n(c, b, a) is bank[((n * channels + c) * 3 + b) * 3 + a]
 *   out     A: channels x height x width; B, C: masks x height x width. The function writes all of
 *           it, whatever it was before
 *
 * All arrays are in device memory (d_), as cudaMalloc() returned it, and owned by the caller.
 * channels, height, width and masks are 1 to 65535 and need not be multiples of anything. An array
 * may have more than 2^31 bytes, so use size_t for the indices of its elements. Pixels and weights
 * are finite, and so are the sums. Shin, 2021, has 300 channels, 224 x 224 pixels, 900 masks, and
 * doubles.
 *
 * Every function launches its kernel and returns what cudaGetLastError() returns after the launch.
 * It need not wait for the kernel. Each function exists for double and for float.
 */
#ifndef CONVLABS_LAB7_H
#define CONVLABS_LAB7_H

#include <cuda_runtime_api.h>

#define SIZE 3 /* width and height of a mask in parts A and C */

#ifdef __cplusplus
extern "C" {
#endif

/* Part A: the same mask for every channel (depthwise). */
cudaError_t depthwise_double(const double *d_image, int channels, int height, int width,
                             const double *d_mask, double *d_out);
cudaError_t depthwise_float(const float *d_image, int channels, int height, int width,
                            const float *d_mask, float *d_out);

/* Part B: masks of 1 x 1 pixel and all channels (pointwise). */
cudaError_t pointwise_double(const double *d_image, int channels, int height, int width,
                             const double *d_bank, int masks, double *d_out);
cudaError_t pointwise_float(const float *d_image, int channels, int height, int width,
                            const float *d_bank, int masks, float *d_out);

/* Part C: masks of 3 x 3 pixels and all channels. */
cudaError_t convolution_double(const double *d_image, int channels, int height, int width,
                               const double *d_bank, int masks, double *d_out);
cudaError_t convolution_float(const float *d_image, int channels, int height, int width,
                              const float *d_bank, int masks, float *d_out);

/* Given: the baselines, the versions to beat: one thread per output, everything read from global
 * memory. */
cudaError_t baseline_depthwise_double(const double *d_image, int channels, int height, int width,
                                      const double *d_mask, double *d_out);
cudaError_t baseline_depthwise_float(const float *d_image, int channels, int height, int width,
                                     const float *d_mask, float *d_out);
cudaError_t baseline_pointwise_double(const double *d_image, int channels, int height, int width,
                                      const double *d_bank, int masks, double *d_out);
cudaError_t baseline_pointwise_float(const float *d_image, int channels, int height, int width,
                                     const float *d_bank, int masks, float *d_out);
cudaError_t baseline_convolution_double(const double *d_image, int channels, int height, int width,
                                        const double *d_bank, int masks, double *d_out);
cudaError_t baseline_convolution_float(const float *d_image, int channels, int height, int width,
                                       const float *d_bank, int masks, float *d_out);

#ifdef __cplusplus
}
#endif

#endif
