// zoo: right
//
// Tasks, chunks by thread number, mulhi and exact floats; on the GPU RAII, lambdas and two kernels.
#include "lab_cuda.h"
#include <array>
#include <memory>
/* RAII, lambdas, a bulk kernel and a tail kernel, breadth-first queueing */
namespace {
struct Words {
    unsigned a, b, c;
};
__global__ void bulk(const Words *__restrict__ in, uchar4 *__restrict__ out, size_t quads,
                     struct weights w) {
    auto y = [&](unsigned r, unsigned g, unsigned b) {
        return (unsigned char)((r * w.r + g * w.g + b * w.b + 16384u) >> 15);
    };
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < quads;
         i += (size_t)gridDim.x * blockDim.x) {
        const Words v = in[i];
        out[i] = make_uchar4(y(v.a & 255, v.a >> 8 & 255, v.a >> 16 & 255),
                             y(v.a >> 24, v.b & 255, v.b >> 8 & 255),
                             y(v.b >> 16 & 255, v.b >> 24, v.c & 255),
                             y(v.c >> 8 & 255, v.c >> 16 & 255, v.c >> 24));
    }
}
__global__ void tail(const uint8_t *in, uint8_t *out, size_t first, size_t n, struct weights w) {
    const size_t i = first + threadIdx.x;
    if (i < n)
        out[i] = (in[3 * i] * w.r + in[3 * i + 1] * w.g + in[3 * i + 2] * w.b + 16384) >> 15;
}
struct Dev {
    uint8_t *p = nullptr;
    cudaError_t e;
    explicit Dev(size_t n) {
        e = cudaMalloc((void **)&p, n);
    }
    ~Dev() {
        cudaFree(p);
    }
    Dev(const Dev &) = delete;
};
struct Pin {
    void *p;
    cudaError_t e;
    Pin(const void *q, size_t n) : p(const_cast<void *>(q)) {
        e = cudaHostRegister(p, n, cudaHostRegisterPortable);
    }
    ~Pin() {
        if (e == cudaSuccess)
            cudaHostUnregister(p);
    }
};
struct Stream {
    cudaStream_t s = nullptr;
    cudaError_t e;
    Stream() {
        e = cudaStreamCreate(&s);
    }
    ~Stream() {
        if (e == cudaSuccess) {
            cudaStreamSynchronize(s);
            cudaStreamDestroy(s);
        }
    }
};
} // namespace
cudaError_t grey_device(const uint8_t *d_rgb, size_t n, struct weights w, uint8_t *d_grey,
                        cudaStream_t s) {
    const size_t q = n / 4;
    if (q > 0) {
        bulk<<<(unsigned)((q + 127) / 128), 128, 0, s>>>(reinterpret_cast<const Words *>(d_rgb),
                                                         reinterpret_cast<uchar4 *>(d_grey), q, w);
        if (cudaError_t e = cudaGetLastError())
            return e;
    }
    if (n % 4)
        tail<<<1, 32, 0, s>>>(d_rgb, d_grey, 4 * q, n, w);
    return cudaGetLastError();
}
cudaError_t grey_plain(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey) {
    const size_t n = (size_t)width * height;
    Dev in(3 * n), out(n);
    if (in.e)
        return in.e;
    if (out.e)
        return out.e;
    if (auto e = cudaMemcpy(in.p, rgb, 3 * n, cudaMemcpyDefault))
        return e;
    if (auto e = grey_device(in.p, n, w, out.p, nullptr))
        return e;
    return cudaMemcpy(grey, out.p, n, cudaMemcpyDefault);
}
cudaError_t grey_pinned(const uint8_t *rgb, int width, int height, struct weights w,
                        uint8_t *grey) {
    const size_t n = (size_t)width * height;
    Pin a(rgb, 3 * n);
    if (a.e)
        return a.e;
    Pin b(grey, n);
    return b.e ? b.e : grey_plain(rgb, width, height, w, grey);
}
cudaError_t grey_streamed(const uint8_t *rgb, int width, int height, struct weights w, int chunks,
                          uint8_t *grey) {
    const size_t n = (size_t)width * height, sec = ((n + chunks - 1) / chunks + 3) / 4 * 4;
    Pin a(rgb, 3 * n);
    if (a.e)
        return a.e;
    Pin b(grey, n);
    if (b.e)
        return b.e;
    Dev in(3 * n), out(n);
    if (in.e || out.e)
        return in.e ? in.e : out.e;
    std::array<Stream, STREAMS> st;
    for (auto &s : st)
        if (s.e)
            return s.e;
    auto each = [&](auto f) {
        int k = 0;
        for (size_t i = 0; i < n; i += sec, ++k)
            if (cudaError_t e = f(i, i + sec < n ? sec : n - i, st[k % STREAMS].s))
                return e;
        return cudaSuccess;
    };
    cudaError_t e = each([&](size_t i, size_t m, cudaStream_t s) {
        return cudaMemcpyAsync(in.p + 3 * i, rgb + 3 * i, 3 * m, cudaMemcpyDefault, s);
    });
    if (!e)
        e = each([&](size_t i, size_t m, cudaStream_t s) {
            return grey_device(in.p + 3 * i, m, w, out.p + i, s);
        });
    if (!e)
        e = each([&](size_t i, size_t m, cudaStream_t s) {
            return cudaMemcpyAsync(grey + i, out.p + i, m, cudaMemcpyDeviceToHost, s);
        });
    for (auto &s : st) {
        cudaError_t f = cudaStreamSynchronize(s.s);
        if (!e)
            e = f;
    }
    return e;
}
