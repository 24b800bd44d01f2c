/* Kernels, their launches, their shared variables and their built-in names. */
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include "sim_abi.h"

#define __CUDACC__ 1
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __grid_constant__

/* rewrite.py marks __constant__ and __device__ variables with these. Each kind has a section of its
 * own, so that the runtime knows where device variables are. */
#define SIM_CONSTANT __attribute__((used, section(SIM_CONSTANT_SECTION)))
#define SIM_DEVICE __attribute__((used, section(SIM_DEVICE_SECTION)))
#define SIM_MANAGED __attribute__((used, section(SIM_MANAGED_SECTION)))
#define SIM_DEVICE_ZERO __attribute__((used, section(SIM_DEVICE_ZERO_SECTION)))

/* rewrite.py adds this after each of them at file scope. In a traced program it registers the
 * variable and puts a gap beside it, so that an access outside of it does not land in another
 * variable. */
#ifdef __SANITIZE_THREAD__
#define SIM_VARIABLE(section_name, name, line)                                                     \
    __attribute__((used, section(section_name))) static char name##_sim_gap[SIM_VARIABLE_GAP];     \
    static sim_registered_variable name##_sim_variable(#name, __FILE__, line,                      \
                                                       (const void *)&name, sizeof name);
#else
#define SIM_VARIABLE(section_name, name, line)
#endif

/* A variable that registers itself before main(). */
struct sim_registered_variable : sim_variable {
    sim_registered_variable(const char *name_, const char *file_, int line_, const void *address_,
                            size_t bytes_)
        : sim_variable{name_, file_, line_, address_, bytes_, nullptr} {
        sim_register_variable(this);
    }
};

constexpr int warpSize = SIM_WARP_SIZE;

/* Code of the simulator, which a traced program must not report as the kernel's. */
#define SIM_UNTRACED __attribute__((no_sanitize("thread"), no_sanitize_coverage, noinline))

/* `Tag` tells declarations apart. */
template <class Tag, class T>
SIM_UNTRACED static T &sim_shared(const char *name, const char *file, int line,
                                  unsigned align = 16) {
    static_assert(sizeof(T) <= SIM_BLOCK_SHARED,
                  "a block may have at most 48 KB of static shared memory");
    static sim_shared_slot slot = {
        name, file, line, sizeof(T), align > alignof(T) ? align : (unsigned)alignof(T), 0, 0};
    return *static_cast<T *>(sim_shared_address(&slot));
}

template <class T>
static inline void sim_check_argument(const sim_config *config, int number, T *pointer) {
    if constexpr (!std::is_function<T>::value) { /* a device function is a host function here */
        sim_check_pointer(config, number, (const volatile void *)pointer);
    }
}
template <class T> static inline void sim_check_argument(const sim_config *, int, const T &) {
}

/* rewrite.py turns  k<<<grid, block>>>(a, b)  into
 *
 *     ((void)sizeof((k(a, b), 0)), sim_kernel(FILE, LINE, "k", k).on(grid, block)(a, b))
 *
 * The arguments are converted once, at the launch, to the kernel's own parameters. Arguments that
 * do not fit are an error of the first half, which names the kernel and the student's line. */
template <class... P> struct sim_kernel_launch {
    void (*kernel)(P...);
    sim_config config;

    const sim_kernel_launch &on(dim3 grid, dim3 block, size_t shared = 0,
                                cudaStream_t stream = 0) {
        config.grid = grid;
        config.block = block;
        config.shared = shared;
        config.stream = stream;
        return *this;
    }
    void operator()(P... p) const {
        [[maybe_unused]] int number = 0;
        (sim_check_argument(&config, ++number, p), ...);
        auto thread = [=, k = kernel] { k(p...); };
        sim_config sized = config;
        sized.closure_bytes = sizeof thread;
        sim_launch(&sized, [](const void *c) { (*static_cast<const decltype(thread) *>(c))(); },
                   &thread);
    }
    /* Chosen if the arguments do not fit, so that this header adds nothing to the error. */
    template <int = 0> void operator()(...) const {
    }
};

template <class... P>
static inline sim_kernel_launch<P...> sim_kernel(const char *file, int line, const char *name,
                                                 void (*kernel)(P...)) {
    return {kernel, {dim3(), dim3(), 0, 0, (const void *)kernel, name, file, line, 0, 0}};
}

/* The same for a kernel that its arguments select: a template that is not fully named, or an
 * overloaded function. `kernel` is a lambda that calls it. */
template <class F> struct sim_generic_launch {
    F kernel;
    sim_config config;

    const sim_generic_launch &on(dim3 grid, dim3 block, size_t shared = 0,
                                 cudaStream_t stream = 0) {
        config.grid = grid;
        config.block = block;
        config.shared = shared;
        config.stream = stream;
        return *this;
    }
    template <class... A> void operator()(A... a) const {
        [[maybe_unused]] int number = 0;
        (sim_check_argument(&config, ++number, a), ...);
        auto thread = [=, k = kernel] { k(a...); };
        sim_config sized = config;
        sized.closure_bytes = sizeof thread;
        sim_launch(&sized, [](const void *c) { (*static_cast<const decltype(thread) *>(c))(); },
                   &thread);
    }
};

template <class F>
static inline sim_generic_launch<F> sim_generic_kernel(const char *file, int line,
                                                       const char *name, F kernel) {
    return {kernel, {dim3(), dim3(), 0, 0, nullptr, name, file, line, 0, 0}};
}

#endif
