// zoo: right
//
// Part A keeps the mask as float4, four taps a read; part B keeps the bank as double. Both reads are
// wider than a word, and the same for all lanes of a warp. Part A has a stream of its own.
#include "lab.h"
#include <vector>
__constant__ float4 c_quads[(MASK_MAX_SIZE + 3) / 4];
__constant__ double c_bank[4][MASK_MAX_SIZE];
namespace { const auto bad = cudaErrorInvalidValue; int current_radius = -1; }
cudaError_t set_mask(const float *h_mask, int radius) try {
    if (radius < 0 || radius > MASK_MAX_RADIUS) return bad;
    std::vector<float> padded(4 * ((MASK_MAX_SIZE + 3) / 4), 0.0f);
    const size_t n = (size_t)(2 * radius + 1) * (2 * radius + 1);
    for (size_t i = 0; i < n; ++i) padded[i] = h_mask[i];
    const auto e = cudaMemcpyToSymbol(c_quads, padded.data(), padded.size() * sizeof(float), 0, cudaMemcpyHostToDevice);
    if (e == cudaSuccess) current_radius = radius;
    return e;
} catch (...) { return cudaErrorMemoryAllocation; }

__device__ inline float coefficient(int i) {
    const float4 q = c_quads[i >> 2];
    switch (i & 3) { case 0: return q.x; case 1: return q.y; case 2: return q.z; default: return q.w; }
}
__global__ void shared_tile(const float *im, int w, int h, int r, enum border bo, float *out) {
    extern __shared__ float tile[];
    const int tw = blockDim.x + 2 * r, th = blockDim.y + 2 * r;
    const int x0 = (int)(blockIdx.x * blockDim.x) - r, y0 = (int)(blockIdx.y * blockDim.y) - r;
    for (int i = threadIdx.x + threadIdx.y * blockDim.x; i < tw * th; i += blockDim.x * blockDim.y) {
        int u = x0 + i % tw, v = y0 + i / tw;
        bool inside = u >= 0 && v >= 0 && u < w && v < h;
        tile[i] = inside || bo == BORDER_REPLICATE ? im[(size_t)min(max(v, 0), h - 1) * w + min(max(u, 0), w - 1)] : 0.0f;
    }
    __syncthreads();
    int x = x0 + r + threadIdx.x, y = y0 + r + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int i = 0, b = 0; b <= 2 * r; b++)
        for (int a = 0; a <= 2 * r; a++, i++)
            sum += tile[(threadIdx.y + b) * tw + threadIdx.x + a] * coefficient(i);
    out[(size_t)y * w + x] = sum;
}
cudaError_t correlate_constant(const float *d_image, int width, int height, int radius, enum border border, float *d_out) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) return bad;
    cudaStream_t s;
    cudaError_t e = cudaStreamCreate(&s);
    if (e != cudaSuccess) return e;
    const dim3 b{32, 16, 1}, g{(unsigned)(width + 31) / 32, (unsigned)(height + 15) / 16, 1};
    shared_tile<<<g, b, sizeof(float) * (32 + 2 * radius) * (16 + 2 * radius), s>>>(d_image, width, height, radius, border, d_out);
    e = cudaGetLastError();
    cudaError_t e2 = cudaStreamSynchronize(s);
    cudaError_t e3 = cudaStreamDestroy(s);
    return e ? e : e2 ? e2 : e3;
}
cudaError_t set_bank(const float *h_bank, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) return bad;
    const size_t n = (size_t)(2 * radius + 1) * (2 * radius + 1);
    for (int p = 0; p < 4; p++) {
        const std::vector<double> wide(h_bank + p * n, h_bank + (p + 1) * n);
        const cudaError_t e = cudaMemcpyToSymbol(c_bank[p], wide.data(), n * sizeof(double));
        if (e != cudaSuccess) return e;
    }
    return cudaSuccess;
}
// lanes go down a column: x is blockIdx.x
__global__ void down(const float *im, int w, int h, int r, enum border bo, float *out) {
    const int x = blockIdx.x, y = blockIdx.y * blockDim.x + threadIdx.x;
    if (y >= h) return;
    const double *m = c_bank[x & 3];
    double sum = 0;
    for (int b = -r; b <= r; b++)
        for (int a = -r; a <= r; a++) {
            const int u = min(max(x + a, 0), w - 1), v = min(max(y + b, 0), h - 1);
            const double weight = bo == BORDER_REPLICATE || (u == x + a && v == y + b) ? *m : 0.0;
            m++;
            sum += weight * im[(size_t)v * w + u];
        }
    out[(size_t)y * w + x] = (float)sum;
}
cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius, enum border border, float *d_out) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) return bad;
    down<<<dim3(width, (height + 127) / 128), 128>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}
