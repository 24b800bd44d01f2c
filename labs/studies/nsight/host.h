// What the hosts of the kernels share. They include it below their kernels, whose
// lines are in lines.csv.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void must(cudaError_t e, const char *file, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(e));
    exit(1);
}
#define MUST(call) must(call, __FILE__, __LINE__)
#define DONE() (MUST(cudaGetLastError()), MUST(cudaDeviceSynchronize()))
// A launch, until it has ended.
#define RUN(...)                                                                                 \
    do {                                                                                         \
        __VA_ARGS__;                                                                             \
        DONE();                                                                                  \
    } while (0)

static std::vector<void *> buffers;

static unsigned int next_random(void)
{
    static unsigned int s = 2463534242u;
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s >> 4;
}

// n values 0, 1, ..., limit - 1 times scale.
template <typename T>
static std::vector<T> noise(int n, unsigned int limit, T scale)
{
    std::vector<T> v(n);
    for (T &e : v) e = (T)((T)(next_random() % limit) * scale);
    return v;
}

template <typename T>
static T *to_device(const std::vector<T> &v)
{
    T *d = NULL;
    MUST(cudaMalloc((void **)&d, v.size() * sizeof(T)));
    MUST(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    buffers.push_back(d);
    return d;
}

template <typename T>
static T *zeros(int n)
{
    T *d = NULL;
    MUST(cudaMalloc((void **)&d, n * sizeof(T)));
    MUST(cudaMemset(d, 0, n * sizeof(T)));
    buffers.push_back(d);
    return d;
}

template <typename T>
static double sum(const T *d, int n)
{
    std::vector<T> v(n);
    MUST(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    double s = 0.0;
    for (const T &e : v) s += (double)e;
    return s;
}

static dim3 blocks(int w, int h, int bw, int bh)
{
    return dim3((w + bw - 1) / bw, (h + bh - 1) / bh);
}
