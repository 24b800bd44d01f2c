// zoo: right
//
// C++ throughout: a struct of parameters, a template that takes a lambda, sums in double, blocks of
// one dimension; <memory>'s unique_ptr, whose header writes __attribute__((__noinline__)).
#include "lab.h"
#include <cstdlib>
#include <cstring>
#include <cstdio>
#include <algorithm>
#include <memory>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        err = (call);                                                                              \
        if (err != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err));           \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

struct Params {
    const float *__restrict__ image;
    const float *__restrict__ mask;
    float *__restrict__ out;
    int w, h, r;
    bool zero;
};

template <typename F> __device__ __forceinline__ void for_taps(int r, F f) {
    for (int b = -r; b <= r; ++b)
        for (int a = -r; a <= r; ++a)
            f(a, b);
}

__noinline__ __device__ size_t at(int x, int y, int width) {
    return (size_t)y * width + x;
}

__global__ void __launch_bounds__(256) conv1d(const Params p) {
    const long long n = (long long)p.w * p.h;
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int x = int(i % p.w), y = int(i / p.w);
    double s = 0;
    for_taps(p.r, [&](int a, int b) {
        int xx = x + a, yy = y + b;
        if (p.zero) {
            if (xx < 0 || xx >= p.w || yy < 0 || yy >= p.h) return;
        } else {
            xx = xx < 0 ? 0 : xx > p.w - 1 ? p.w - 1 : xx;
            yy = yy < 0 ? 0 : yy > p.h - 1 ? p.h - 1 : yy;
        }
        s += (double)__ldg(&p.image[at(xx, yy, p.w)]) * __ldg(p.mask + (b + p.r) * (2 * p.r + 1) + a + p.r);
    });
    p.out[i] = (float)s;
}

extern "C" cudaError_t correlate_device(const float *d_image, int width, int height, const float *d_mask,
                             int radius, enum border border, float *d_out) {
    Params p{d_image, d_mask, d_out, width, height, radius, border == BORDER_ZERO};
    const auto n = static_cast<size_t>(width) * height;
    conv1d<<<static_cast<unsigned>((n + 255) / 256), 256>>>(p);
    return cudaPeekAtLastError() == cudaSuccess ? cudaSuccess : cudaGetLastError();
}

cudaError_t correlate_host(const float *h_image, int width, int height, const float *h_mask,
                           int radius, enum border border, float *h_out) {
    cudaError_t err = cudaSuccess;
    float *di = nullptr, *dm = nullptr, *dout = nullptr;
    const int k = 2 * radius + 1;
    const size_t ib = sizeof(float) * width * height, mb = sizeof(float) * k * k;
    CHECK(cudaMalloc(&di, ib));
    CHECK(cudaMalloc(&dm, mb));
    CHECK(cudaMalloc(&dout, ib));
    CHECK(cudaMemcpy(di, h_image, ib, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dm, h_mask, mb, cudaMemcpyDefault));
    CHECK(correlate_device(di, width, height, dm, radius, border, dout));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h_out, dout, ib, cudaMemcpyDeviceToHost));
done:
    if (di) cudaFree(di);
    if (dm) cudaFree(dm);
    if (dout) cudaFree(dout);
    return err;
}

cudaError_t correlate_staged(enum host_memory kind, const float *h_image, int width, int height,
                             const float *h_mask, int radius, enum border border, float *h_out) {
    const size_t n = (size_t)width * height;
    switch (kind) {
    case HOST_PAGEABLE: {
        std::unique_ptr<float, decltype(&free)> p((float *)malloc(n * sizeof(float)), &free);
        if (!p) return cudaErrorMemoryAllocation;
        std::copy(h_image, h_image + n, p.get());
        return correlate_host(p.get(), width, height, h_mask, radius, border, h_out);
    }
    case HOST_PINNED:
    case HOST_WRITE_COMBINED: {
        float *raw = nullptr;
        const auto e = cudaHostAlloc(&raw, n * sizeof(float), kind == HOST_PINNED ? cudaHostAllocDefault : cudaHostAllocWriteCombined);
        if (e != cudaSuccess) return e;
        auto del = [](float *q) { cudaFreeHost(q); };
        std::unique_ptr<float, decltype(del)> p(raw, del);
        for (int y = 0; y < height; ++y)
            std::copy_n(h_image + (size_t)y * width, width, p.get() + (size_t)y * width);
        return correlate_host(p.get(), width, height, h_mask, radius, border, h_out);
    }
    }
    return cudaErrorInvalidValue;
}

__global__ void ident(const float *__restrict__ img, int w, int h, const float *__restrict__ m, int r, enum border bo, float *__restrict__ o) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)w * h; i += (size_t)gridDim.x * blockDim.x) {
        int x = i % w, y = i / w;
        float s = 0.f;
        for (int t = 0; t < (2 * r + 1) * (2 * r + 1); t++) {
            int a = t % (2 * r + 1) - r, b = t / (2 * r + 1) - r;
            int xx = x + a, yy = y + b;
            bool in = unsigned(xx) < unsigned(w) && unsigned(yy) < unsigned(h);
            if (!in && bo == BORDER_ZERO) continue;
            xx = max(0, min(w - 1, xx));
            yy = max(0, min(h - 1, yy));
            s = __fadd_rn(s, __fmul_rn(m[t], img[(size_t)yy * w + xx]));
        }
        o[i] = s;
    }
}
cudaError_t correlate_identical(const float *d_image, int width, int height, const float *d_mask,
                                int radius, enum border border, float *d_out) {
    ident<<<64, 128>>>(d_image, width, height, d_mask, radius, border, d_out);
    return cudaGetLastError();
}
