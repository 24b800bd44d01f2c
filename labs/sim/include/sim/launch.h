/* Kernels, their launches, their shared variables and their built-in names. */
#pragma once

#include "host_defines.h"
#include "sim/abi.h"

/* In a traced program the translator writes a gap beside each __constant__, __device__ and
 * __managed__ variable, so that an access outside of it does not land in another variable. */
#ifdef __SANITIZE_THREAD__
constexpr int sim_variable_gap = SIM_VARIABLE_GAP;
#else
constexpr int sim_variable_gap = 0;
#endif
constexpr size_t sim_constant_bytes = SIM_CONSTANT_BYTES;
constexpr size_t sim_static_shared_bytes = SIM_BLOCK_SHARED;
constexpr size_t sim_variable_bytes = SIM_VARIABLE_BYTES;
constexpr size_t sim_variables_bytes = SIM_VARIABLES_BYTES;

/* Beside the variables of every program it writes one of these, which registers the variable before
 * main(), at a priority of its own (BEFORE_MAIN in translate/reader/program.py). */
struct sim_registered_variable : sim_variable {
    sim_registered_variable(const char *name_, const char *file_, int line_, const void *address_,
                            size_t bytes_)
        : sim_variable{name_, file_, line_, sim_variable_gap, address_, bytes_, nullptr} {
        sim_register_variable(this);
    }
};

/* The same for a kernel with __launch_bounds__(). */
struct sim_bounded_kernel {
    sim_bounded_kernel(const void *function, long long threads) {
        sim_bound_threads(function, threads);
    }
};

/* The bound of an instance of a template, which a launch tells the runtime. */
template <long long threads> struct sim_bound {
    template <class F> static F of(F kernel) {
        sim_bound_threads((const void *)kernel, threads);
        return kernel;
    }
};

/* At the end of a function that returns a T: translate/watch/missing_returns.py. */
template <class T> constexpr void sim_ends(const char *function, const char *file, int line) {
    if (!std::is_void<T>::value && !__builtin_is_constant_evaluated()) {
        sim_missing_return(function, file, line);
    }
}

constexpr int warpSize = SIM_WARP_SIZE;

/* Code of the simulator, which a traced program must not report as the kernel's. */
#define SIM_UNTRACED __attribute__((no_sanitize("thread"), noinline))

/* Reads a kernel's parameters: on the device they are no memory that a program sees. */
#define SIM_UNCOUNTED __attribute__((no_sanitize("thread")))

/* A plain program calls the runtime only where the launch first uses the variable. */
#ifdef __SANITIZE_THREAD__
#define SIM_SHARED SIM_UNTRACED
#else
#define SIM_SHARED inline __attribute__((always_inline))
#endif

/* `Tag` tells declarations apart. */
template <class Tag, class T>
SIM_SHARED static T &sim_shared(const char *name, const char *file, int line, unsigned align = 16) {
    constexpr unsigned rank = std::rank<T>::value;
    static sim_shared_slot slot = {
        name,
        file,
        line,
        sizeof(T),
        align > alignof(T) ? align : (unsigned)alignof(T),
        0,
        0,
        rank == 0 || rank > 3 ? 0 : (unsigned)sizeof(std::remove_all_extents_t<T>),
        rank > 2 ? (unsigned)std::extent<T, rank - 2>::value : 0,
        rank > 1 ? (unsigned)std::extent<T, rank - 1>::value : 0};
#ifndef __SANITIZE_THREAD__
    if (__atomic_load_n(&slot.launch, __ATOMIC_ACQUIRE) == sim_shared_launch) {
        return *reinterpret_cast<T *>(sim_shared_arena + slot.offset);
    }
#endif
    return *static_cast<T *>(sim_shared_address(&slot));
}

template <class T>
static inline void sim_check_argument(const sim_config *config, int number, T *pointer) {
    if constexpr (!std::is_function<T>::value) { /* a device function is a host function here */
        sim_check_pointer(config, number, (const volatile void *)pointer);
    }
}
template <class T> static inline void sim_check_argument(const sim_config *, int, const T &) {}

/* ---- parameters of a kernel
 *
 * A launch copies its arguments into parameters on the host, and destroys these when it returns.
 * The device gets their bytes: each thread has a copy of its own, for which it calls no constructor
 * and no destructor. For types whose copies are bytes anyway, this is an ordinary call. For others,
 * C++ passes the address of a temporary; as the caller would have to construct and destroy it, the
 * kernel is called with the address of a copy of the bytes instead. */

/* Does a function take a T by the address of a temporary, by the rules of the Itanium C++ ABI? */
template <class T>
constexpr bool sim_by_address =
    !std::is_trivially_destructible<T>::value ||
    (std::is_copy_constructible<T>::value && !std::is_trivially_copy_constructible<T>::value) ||
    (std::is_move_constructible<T>::value && !std::is_trivially_move_constructible<T>::value);

template <class T> struct sim_bytes {
    alignas(T) unsigned char bytes[sizeof(T)];

    explicit sim_bytes(const T &value) { __builtin_memcpy(bytes, &value, sizeof(T)); }
    operator T &() { return *reinterpret_cast<T *>(bytes); }
};
template <class T> struct sim_reference_to {
    T *object;

    explicit sim_reference_to(T &value) : object(&value) {}
    operator T &() const { return *object; }
};
template <class T> struct sim_parameter {
    using stored = std::conditional_t<sim_by_address<T>, sim_bytes<T>, T>;
    using passed = std::conditional_t<sim_by_address<T>, T &, T>;
};
template <class T> struct sim_parameter<T &> {
    using stored = sim_reference_to<T>;
    using passed = T &;
};
template <class T> using sim_stored = typename sim_parameter<T>::stored;

/* The kernel as a function that takes such addresses. */
template <class... P> static inline auto sim_callable(void (*kernel)(P...)) {
    using callable = void (*)(typename sim_parameter<P>::passed...);
    if constexpr (std::is_same<callable, void (*)(P...)>::value) {
        return kernel;
    } else {
        void (*untyped)() = (void (*)())kernel;
        __asm__("" : "+r"(untyped)); /* g++ must not see that the types differ */
        return (callable)untyped;
    }
}

/* Runs `call(image...)` in each thread of a launch. */
template <class F, class... S>
static inline void sim_run(const sim_config *config, F call, S... image) {
    auto thread = [=]() SIM_UNCOUNTED { call(S(image)...); };
    sim_config sized = *config;
    sized.closure_bytes = sizeof thread;
    sim_launch(
        &sized, [](const void *c) { (*static_cast<const decltype(thread) *>(c))(); }, &thread);
}

/* ---- launches
 *
 * The translator turns  k<<<grid, block>>>(a, b)  into
 *
 *     ((void)sizeof((k(a, b), 0)), sim_kernel(FILE, LINE, "k", k).on(grid, block)(a, b))
 *
 * The arguments are converted once, at the launch, to the kernel's own parameters. Arguments that
 * do not fit are an error of the first half, which names the kernel and the student's line. */
template <class F, class... P> struct sim_kernel_launch {
    F kernel;
    sim_config config;

    const sim_kernel_launch &on(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
        config.grid = grid;
        config.block = block;
        config.shared = shared;
        config.stream = stream;
        return *this;
    }
    void operator()(P... p) const {
        [[maybe_unused]] int number = 0;
        (sim_check_argument(&config, ++number, p), ...);
        sim_run(&config, kernel, sim_stored<P>(p)...);
    }
    /* Chosen if the arguments do not fit, so that this header adds nothing to the error. */
    template <int = 0> void operator()(...) const {}
};

template <class... P>
static inline auto sim_kernel(const char *file, int line, const char *name, void (*kernel)(P...)) {
    auto callable = sim_callable(kernel);
    return sim_kernel_launch<decltype(callable), P...>{
        callable, {dim3(), dim3(), 0, 0, (const void *)kernel, name, file, line, 0, 0, 0}};
}

/* The same for a kernel with default arguments, called with its first N only. `call` is a lambda
 * that calls it with these. */
template <class... P> struct sim_types {};
template <size_t N, class F, class... First, class Next, class... Rest>
static inline auto sim_with_first(F call, const sim_config &config, sim_types<First...>,
                                  sim_types<Next, Rest...>) {
    if constexpr (N == 0) {
        return sim_kernel_launch<F, First...>{call, config};
    } else {
        return sim_with_first<N - 1>(call, config, sim_types<First..., Next>(),
                                     sim_types<Rest...>());
    }
}
template <size_t N, class F, class... P>
static inline auto sim_shorter_kernel(const char *file, int line, const char *name,
                                      void (*kernel)(P...), F call) {
    sim_config config = {dim3(), dim3(), 0, 0, (const void *)kernel, name, file, line, 0, 0, 0};
    return sim_with_first<N>(call, config, sim_types<>(), sim_types<P...>());
}
