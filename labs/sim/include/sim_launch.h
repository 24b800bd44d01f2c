/* Kernels, their launches, their shared variables, and what a thread knows of itself. */
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

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

/* Written by rewrite.py for variables that are __constant__ or __device__: in sections of their
 * own, so that the runtime knows where the device's variables are. */
#define SIM_CONSTANT __attribute__((used, section("sim_constant")))
#define SIM_DEVICE __attribute__((used, section("sim_device")))

/* Written after each of them that stands at file scope. In a traced program it registers the
 * variable and puts a gap beside it, so that whoever leaves it does not land in another one. */
#ifdef __SANITIZE_THREAD__
#define SIM_VARIABLE(space, name, line)                                                            \
    __attribute__((used, section(space))) static char name##_sim_gap[64];                          \
    static sim_variable name##_sim_variable(#name, __FILE__, line, (const void *)&name,           \
                                            sizeof name);
#else
#define SIM_VARIABLE(space, name, line)
#endif

extern "C" {
struct sim_variable;
void sim_register_variable(struct sim_variable *variable);
}
struct sim_variable {
    const char *name, *file;
    int line;
    const void *address;
    size_t bytes;
    sim_variable *next;
    sim_variable(const char *name_, const char *file_, int line_, const void *address_,
                 size_t bytes_)
        : name(name_), file(file_), line(line_), address(address_), bytes(bytes_), next(nullptr) {
        sim_register_variable(this);
    }
};

extern "C" {
/* Of the running thread. All are plain uint3 (CUDA has two of them as dim3, which a uint3 turns into
 * by itself): g++ then takes them for constants, and a traced program does not report their reads. */
extern __thread const uint3 threadIdx, blockIdx, blockDim, gridDim;

/* One launch: what <<<...>>> holds, and where it stands in the program. */
struct sim_config {
    dim3 grid, block;
    size_t shared; /* bytes of dynamic shared memory */
    cudaStream_t stream;
    const void *function; /* the kernel; NULL when its instance was chosen by its arguments */
    const char *kernel, *file;
    int line;
    size_t closure_bytes; /* of the arguments, as the threads find them */
};

/* Calls `thread(closure)` once for each thread of the grid. */
void sim_launch(const struct sim_config *config, void (*thread)(const void *),
                const void *closure);

/* Reports argument `number` (from 1) of a launch if it points to the host's memory. */
void sim_check_pointer(const struct sim_config *config, int number, const volatile void *pointer);

/* One declaration of a __shared__ variable, or one instance of it in a template. */
struct sim_shared_slot {
    const char *name, *file;
    int line;
    unsigned size, align;
    unsigned launch, offset; /* the offset holds for that launch */
};

/* The variable in the present block's memory. */
void *sim_shared_address(struct sim_shared_slot *slot);

/* The block's dynamic shared memory, as long as the launch asked for. */
void *sim_dynamic_shared(void);
}

constexpr int warpSize = 32;

/* The simulator's own code in a traced program is not the kernel's. */
#define SIM_UNTRACED __attribute__((no_sanitize("thread"), no_sanitize_coverage, noinline))

/* `Tag` tells declarations apart. */
template <class Tag, class T>
SIM_UNTRACED static T &sim_shared(const char *name, const char *file, int line,
                                  unsigned align = 16) {
    static_assert(sizeof(T) <= 48 * 1024, "a block may have at most 48 KB of static shared memory");
    static sim_shared_slot slot = {
        name, file, line, sizeof(T), align > alignof(T) ? align : (unsigned)alignof(T), 0, 0};
    return *static_cast<T *>(sim_shared_address(&slot));
}

template <class T>
static inline void sim_check_argument(const sim_config *config, int number, T *pointer) {
    if constexpr (!std::is_function<T>::value) { /* the device's functions are the host's, here */
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
    /* Taken when the arguments do not fit, so that this header has nothing to add to the error. */
    template <int = 0> void operator()(...) const {
    }
};

template <class... P>
static inline sim_kernel_launch<P...> sim_kernel(const char *file, int line, const char *name,
                                                 void (*kernel)(P...)) {
    return {kernel, {dim3(), dim3(), 0, 0, (const void *)kernel, name, file, line, 0}};
}

/* The same for a kernel whose arguments choose it: a template that is not fully named, or an
 * overloaded one. `kernel` is a lambda that calls it. */
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
    return {kernel, {dim3(), dim3(), 0, 0, nullptr, name, file, line, 0}};
}

#endif
