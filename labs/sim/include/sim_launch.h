/* Kernels, their launches, and what each thread knows of itself. */
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __CUDACC__ 1
#define __CUDA_ARCH_LIST__ 900

/* Written by the rewriter in place of __constant__ and, for variables, __device__. */
#define SIM_CONSTANT __attribute__((used, section("sim_constant")))
#define SIM_DEVICE __attribute__((used, section("sim_device")))

extern "C" {

/* One launch: what <<<...>>> holds, and where it stands. */
struct sim_config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    const char *kernel, *file;
    int line;
};

/* Runs `call(closure)` once for every thread of the grid. */
void sim_run(const struct sim_config *config, void (*call)(const void *), const void *closure);

/* A __shared__ variable: the declaration is registered once, and lies at the same place of every
 * block's shared memory. */
struct sim_shared {
    const char *name, *file;
    int line;
    unsigned size, align;
    unsigned launch, offset; /* the offset holds for that launch */
};
void *sim_shared_address(struct sim_shared *variable);
void *sim_dynamic_shared(void);

extern __thread const uint3 threadIdx, blockIdx;
extern __thread const dim3 blockDim, gridDim;
}

static const int warpSize = 32;

/* k<<<grid, block>>>(a, b)  becomes  sim_kernel(k, "k", __FILE__, __LINE__).on(grid, block)(a, b):
 * the arguments are converted once, at the launch, to the kernel's own parameters. */
template <class... P> struct sim_launcher {
    void (*kernel)(P...);
    sim_config config;

    sim_launcher &on(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
        config.grid = grid;
        config.block = block;
        config.shared = shared;
        config.stream = stream;
        return *this;
    }

    void operator()(P... p) const {
        auto thread = [=, k = kernel] { k(p...); };
        using closure = decltype(thread);
        sim_run(&config, [](const void *c) { (*static_cast<const closure *>(c))(); }, &thread);
    }
};

template <class... P>
inline sim_launcher<P...> sim_kernel(void (*kernel)(P...), const char *name, const char *file,
                                     int line) {
    return {kernel, {dim3(), dim3(), 0, 0, name, file, line}};
}

/* The same for a kernel template whose arguments choose the instance. */
template <class F> struct sim_any_launcher {
    F kernel;
    sim_config config;

    sim_any_launcher &on(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
        config.grid = grid;
        config.block = block;
        config.shared = shared;
        config.stream = stream;
        return *this;
    }

    template <class... A> void operator()(A... a) const {
        auto thread = [=, k = kernel] { k(a...); };
        using closure = decltype(thread);
        sim_run(&config, [](const void *c) { (*static_cast<const closure *>(c))(); }, &thread);
    }
};

template <class F>
inline sim_any_launcher<F> sim_any_kernel(F kernel, const char *name, const char *file, int line) {
    return {kernel, {dim3(), dim3(), 0, 0, name, file, line}};
}

#endif
