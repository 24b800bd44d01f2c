// zoo: right
//
// Kernels of a fixed radius, launched by a macro with a case for each; rows of 17 words in constant
// memory; part B has a plane of blocks for each phase.
#include "lab.h"
#define MAXS 17
__constant__ float mask2d[MAXS][MAXS];           // padded rows of 17
__constant__ float bank3d[PHASES][MAXS][MAXS];

cudaError_t set_mask(const float *h_mask, int radius) {
    if (radius < 0 || radius > 8) return cudaErrorInvalidValue;
    const int s = 2 * radius + 1;
    for (int row = 0; row < s; row++) {
        cudaError_t e = cudaMemcpyToSymbol(mask2d, h_mask + row * s, s * sizeof(float), row * sizeof mask2d[0]);
        if (e != cudaSuccess) return e;
    }
    return cudaSuccess;
}
template <int R> __global__ void conv(const float *im, int w, int h, enum border bo, float *out) {
    const int x = blockDim.x * blockIdx.x + threadIdx.x, y = blockDim.y * blockIdx.y + threadIdx.y;
    if (!(x < w && y < h)) return;
    float s = 0.0f;
#pragma unroll
    for (int b = -R; b <= R; b++)
#pragma unroll
        for (int a = -R; a <= R; a++) {
            int u = x + a, v = y + b;
            if (bo == BORDER_REPLICATE) { u = u < 0 ? 0 : u > w - 1 ? w - 1 : u; v = v < 0 ? 0 : v > h - 1 ? h - 1 : v; }
            if (u >= 0 && u < w && v >= 0 && v < h) s += im[(size_t)v * w + u] * mask2d[b + R][a + R];
        }
    out[(size_t)y * w + x] = s;
}
#define CASE(R) case R: conv<R><<<grid, block>>>(d_image, width, height, border, d_out); break
cudaError_t correlate_constant(const float *d_image, int width, int height, int radius, enum border border, float *d_out) {
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    switch (radius) {
        CASE(0); CASE(1); CASE(2); CASE(3); CASE(4); CASE(5); CASE(6); CASE(7); CASE(8);
    default: return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}
cudaError_t set_bank(const float *h_bank, int radius) {
    if (radius < 0 || radius > 8) return cudaErrorInvalidValue;
    void *p = nullptr;
    cudaError_t e = cudaGetSymbolAddress(&p, bank3d);
    if (e != cudaSuccess) return e;
    const size_t s = 2 * radius + 1;
    // sparse layout by 2D copies: rows of 17 words
    for (int phase = 0; phase < PHASES; phase++) {
        e = cudaMemcpyToSymbol(bank3d, h_bank + phase * s * s, s * s * sizeof(float), phase * sizeof bank3d[0]);
        if (e != cudaSuccess) return e;
    }
    return e;
}
__global__ void polyk(const float *im, int w, int h, int r, enum border bo, float *out) {
    const int phase = blockIdx.z;
    const int x = PHASES * (blockDim.x * blockIdx.x + threadIdx.x) + phase, y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const float *m = &bank3d[phase][0][0];
    float s = 0;
    for (int b = y - r; b <= y + r; b++)
        for (int a = x - r; a <= x + r; a++, m++) {
            int u = a, v = b;
            if (u < 0) u = 0; if (u >= w) u = w - 1;
            if (v < 0) v = 0; if (v >= h) v = h - 1;
            if (bo == BORDER_ZERO && (u != a || v != b)) continue;
            s = fmaf(*m, im[(size_t)v * w + u], s);
        }
    out[(size_t)y * w + x] = s;
}
cudaError_t correlate_polyphase(const float *d_image, int width, int height, int radius, enum border border, float *d_out) {
    if (radius < 0 || radius > 8) return cudaErrorInvalidValue;
    dim3 block(32, 8), grid((width + 127) / 128, (height + 7) / 8, PHASES);
    polyk<<<grid, block>>>(d_image, width, height, radius, border, d_out);
    return cudaGetLastError();
}
