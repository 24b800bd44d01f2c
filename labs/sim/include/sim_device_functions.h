/* Functions of the C library that mean something else in a kernel, and what a kernel can ask about
 * an address. */
#ifndef SIM_DEVICE_FUNCTIONS_H
#define SIM_DEVICE_FUNCTIONS_H

#include "sim_abi.h"

#include <cstdio>
#include <ctime>

/* ---- clock() counts cycles; printf() returns the number of its arguments */

static inline clock_t sim_clock_function() {
    return sim_clock_or_time();
}

/* The number of values after the format, by type alone: nothing is evaluated. */
template <class... A>
std::integral_constant<int, (int)sizeof...(A) - 1> sim_count_arguments(const A &...);

static inline int sim_printed(int written, int arguments) {
    return written >= 0 && sim_in_kernel() ? arguments : written;
}
namespace std {
using ::sim_clock_function;
using ::sim_printed;
} // namespace std

#define clock() sim_clock_function()
#define printf(...) sim_printed((printf)(__VA_ARGS__), decltype(sim_count_arguments(__VA_ARGS__))::value)

/* ---- memory spaces: an address means the same in each of them, except for shared memory */

static inline unsigned __isGlobal(const void *p) {
    return sim_memory_of(p) == SIM_MEMORY_GLOBAL;
}
static inline unsigned __isShared(const void *p) {
    return sim_memory_of(p) == SIM_MEMORY_SHARED;
}
static inline unsigned __isConstant(const void *p) {
    return sim_memory_of(p) == SIM_MEMORY_CONSTANT;
}
static inline unsigned __isLocal(const void *p) {
    return sim_memory_of(p) == SIM_MEMORY_LOCAL;
}
static inline size_t __cvta_generic_to_global(const void *p) {
    return (size_t)p;
}
static inline size_t __cvta_generic_to_shared(const void *p) {
    return sim_shared_offset(p);
}
static inline size_t __cvta_generic_to_constant(const void *p) {
    return (size_t)p;
}
static inline size_t __cvta_generic_to_local(const void *p) {
    return (size_t)p;
}
static inline void *__cvta_global_to_generic(size_t address) {
    return (void *)address;
}
static inline void *__cvta_shared_to_generic(size_t offset) {
    return sim_shared_at(offset);
}
static inline void *__cvta_constant_to_generic(size_t address) {
    return (void *)address;
}
static inline void *__cvta_local_to_generic(size_t address) {
    return (void *)address;
}

/* ---- hints: to a debugger, a profiler, the compiler */

static inline void __brkpt(SIM_SITE) {
    sim_trap(sim_file, sim_line);
}
#define __prof_trigger(counter) ((void)0)
#define __builtin_assume(condition) ((void)0)
#define __assume(condition) ((void)0)

#endif
