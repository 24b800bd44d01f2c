/* Launches without <<<...>>>: cudaLaunchKernel(), cudaLaunchKernelEx() and the like. */
#pragma once

#include "sim/launch.h"

template <class... P, size_t... I>
static inline void sim_launch_unpacked(const sim_config *config, void *const *arguments,
                                       std::index_sequence<I...>) {
    auto kernel = (void (*)(P...))config->function;
    auto launch = sim_kernel(config->file, config->line, config->kernel, kernel);
    launch.config = *config;
    launch(*static_cast<std::remove_reference_t<P> *>(arguments[I])...);
}
template <class... P>
static inline void sim_launch_from(const sim_config *config, void *const *arguments) {
    sim_launch_unpacked<P...>(config, arguments, std::index_sequence_for<P...>());
}

/* The address of a kernel, which the runtime can launch from then on. The translator writes this
 * around the kernel in (void *)kernel. */
template <class... P>
static inline auto sim_kernel_address(const char *name, void (*kernel)(P...)) {
    static constexpr size_t count = sizeof...(P);
    static constexpr size_t sizes[count + 1] = {sizeof(P)..., 0};
    static constexpr size_t aligns[count + 1] = {alignof(P)..., 1};
    static size_t offsets[count + 1];
    size_t end = 0;
    for (size_t i = 0; i < count; i++) {
        offsets[i] = (end + aligns[i] - 1) / aligns[i] * aligns[i];
        end = offsets[i] + sizes[i];
    }
    sim_named_kernel known = {(const void *)kernel,
                              name,
                              sim_launch_from<P...>,
                              (unsigned)count,
                              sizes,
                              offsets,
                              nullptr};
    sim_register_kernel(&known);
    return kernel;
}
template <class T> static inline T *sim_kernel_address(const char *, T *kernel) {
    return kernel; /* not typed as a kernel */
}

template <class... P>
static inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                           void **arguments, size_t shared = 0,
                                           cudaStream_t stream = 0, SIM_SITE) {
    sim_kernel_address(nullptr, kernel);
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream, sim_file,
                            sim_line);
}
template <class... P>
static inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                                      void **arguments, size_t shared = 0,
                                                      cudaStream_t stream = 0, SIM_SITE) {
    sim_kernel_address(nullptr, kernel);
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared, stream,
                                       sim_file, sim_line);
}
template <class... P>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                              void (*kernel)(P...), void **arguments, SIM_SITE) {
    sim_kernel_address(nullptr, kernel);
    return cudaLaunchKernelExC(config, (const void *)kernel, arguments, sim_file, sim_line);
}

/* The arguments are converted to the kernel's parameters, as in <<<...>>>. It has no default
 * arguments, as those of a C++ function that takes a kernel and its arguments cannot be told. */
template <class... P, size_t... I>
static inline cudaError_t sim_launch_tuple(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                                           std::tuple<P...> &values, std::index_sequence<I...>,
                                           const char *file, int line) {
    void *arguments[sizeof...(P) + 1] = {(void *)&std::get<I>(values)..., nullptr};
    return cudaLaunchKernelExC(config, kernel, arguments, file, line);
}
struct sim_call_site {
    const char *file;
    int line;
};
/* A launch configuration that also takes the line of the call. */
struct sim_launch_config {
    const cudaLaunchConfig_t *config;
    sim_call_site site;
    sim_launch_config(const cudaLaunchConfig_t *c, SIM_SITE)
        : config(c), site{sim_file, sim_line} {}
};
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(sim_launch_config c, void (*kernel)(P...),
                                             A &&...arguments) {
    std::tuple<P...> values(std::forward<A>(arguments)...);
    return sim_launch_tuple(c.config, kernel, values, std::index_sequence_for<P...>(), c.site.file,
                            c.site.line);
}
