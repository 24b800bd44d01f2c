// zoo: right
//
// The size of the masks is a parameter of the kernel, ten masks and two rows a thread, the mask of part A
// from global memory: nine words that the cache has.
#include "lab.h"

template <typename real>
__global__ void apart(const real *f, int h, int w, const real *g, real *out) {
    __shared__ real s[18][34];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    f += (size_t)blockIdx.z * h * w;
    out += (size_t)blockIdx.z * h * w;
    for (int v = threadIdx.y; v < 18; v += 16)
        for (int u = threadIdx.x; u < 34; u += 32) {
            int y = y0 + v - 1, x = x0 + u - 1;
            int in = y >= 0 && y < h && x >= 0 && x < w;
            s[v][u] = in ? f[(size_t)y * w + x] : 0;
        }
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= w || y >= h)
        return;
    real sum = 0;
    for (int b = 0; b < 3; b++)
        for (int a = 0; a < 3; a++)
            sum += s[threadIdx.y + b][threadIdx.x + a] * g[3 * b + a];
    out[(size_t)y * w + x] = sum;
}

template <typename real>
__global__ void bank(const real *f, int c, int h, int w, const real *g, int n, int k, real *out) {
    __shared__ real s[18][34], weight[10][9];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, t = threadIdx.y * 32 + threadIdx.x;
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y * 2;
    real sum[2][10] = {};
    for (int j = 0; j < c; j++) {
        for (int i = t; i < 18 * 34; i += 256) {
            int v = y0 + i / 34 - 1, u = x0 + i % 34 - 1;
            int in = v >= 0 && v < h && u >= 0 && u < w;
            s[i / 34][i % 34] = in ? f[((size_t)j * h + v) * w + u] : 0;
        }
        for (int i = t; i < 10 * k * k; i += 256) {
            size_t m = (size_t)blockIdx.z * 10 + i / (k * k);
            weight[i / (k * k)][i % (k * k)] =
                m < (size_t)n ? g[(m * c + j) * k * k + i % (k * k)] : 0;
        }
        __syncthreads();
        for (int i = 0; i < k * k; i++) {
            int v = threadIdx.y * 2 + i / k + 1 - k / 2, u = threadIdx.x + i % k + 1 - k / 2;
            real upper = s[v][u], lower = s[v + 1][u];
            for (int m = 0; m < 10; m++) {
                sum[0][m] += upper * weight[m][i];
                sum[1][m] += lower * weight[m][i];
            }
        }
        __syncthreads();
    }
    for (int m = 0; m < 10; m++)
        for (int i = 0; i < 2; i++)
            if (x < w && y + i < h && (int)blockIdx.z * 10 + m < n)
                out[(((size_t)blockIdx.z * 10 + m) * h + y + i) * w + x] = sum[i][m];
}

template <typename real>
cudaError_t depthwise(const real *f, int c, int h, int w, const real *g, real *out) {
    apart<<<dim3((w + 31) / 32, (h + 15) / 16, c), dim3(32, 16)>>>(f, h, w, g, out);
    return cudaGetLastError();
}

template <typename real>
cudaError_t ten_at_a_time(const real *f, int c, int h, int w, const real *g, int n, int k,
                          real *out) {
    const dim3 grid((w + 31) / 32, (h + 15) / 16, (n + 9) / 10);
    bank<<<grid, dim3(32, 8)>>>(f, c, h, w, g, n, k, out);
    return cudaGetLastError();
}

template <typename real>
cudaError_t pointwise(const real *f, int c, int h, int w, const real *g, int n, real *out) {
    return ten_at_a_time(f, c, h, w, g, n, 1, out);
}

template <typename real>
cudaError_t convolution(const real *f, int c, int h, int w, const real *g, int n, real *out) {
    return ten_at_a_time(f, c, h, w, g, n, SIZE, out);
}

/* ---- the functions of lab.h, for either type. Nothing to do here. ---- */

cudaError_t depthwise_double(const double *d_image, int channels, int height, int width,
                             const double *d_mask, double *d_out) {
    return depthwise(d_image, channels, height, width, d_mask, d_out);
}
cudaError_t depthwise_float(const float *d_image, int channels, int height, int width,
                            const float *d_mask, float *d_out) {
    return depthwise(d_image, channels, height, width, d_mask, d_out);
}
cudaError_t pointwise_double(const double *d_image, int channels, int height, int width,
                             const double *d_bank, int masks, double *d_out) {
    return pointwise(d_image, channels, height, width, d_bank, masks, d_out);
}
cudaError_t pointwise_float(const float *d_image, int channels, int height, int width,
                            const float *d_bank, int masks, float *d_out) {
    return pointwise(d_image, channels, height, width, d_bank, masks, d_out);
}
cudaError_t convolution_double(const double *d_image, int channels, int height, int width,
                               const double *d_bank, int masks, double *d_out) {
    return convolution(d_image, channels, height, width, d_bank, masks, d_out);
}
cudaError_t convolution_float(const float *d_image, int channels, int height, int width,
                              const float *d_bank, int masks, float *d_out) {
    return convolution(d_image, channels, height, width, d_bank, masks, d_out);
}
