/* Functions of the C library that mean something else in a kernel, and what a kernel can ask about
 * an address. */
#pragma once

#include "sim/abi.h"

#include <cstdio>
#include <ctime>

/* ---- clock() counts cycles; printf() returns the number of its arguments */

static inline clock_t sim_clock_function() { return sim_clock_or_time(); }

/* The number of values after the format. The device takes at most 32; up to 40 are counted. */
#define SIM_PICK_41(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16,     \
                    a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31,     \
                    a32, a33, a34, a35, a36, a37, a38, a39, a40, n, ...)                           \
    n
#define SIM_VALUES(...)                                                                            \
    SIM_PICK_41(__VA_ARGS__, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24,   \
                23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, \
                0, 0)

/* `values`: their number, an int. With more values than are counted it is one of them. */
template <class T> static inline int sim_printed(int written, const T &values) {
    if constexpr (std::is_same<T, int>::value) {
        return written >= 0 && sim_on_device() ? values : written;
    }
    return written;
}
namespace std {
using ::sim_clock_function;
using ::sim_printed;
} // namespace std

#define clock() sim_clock_function()
#define printf(...) sim_printed((sim_line_clear(), (printf)(__VA_ARGS__)), SIM_VALUES(__VA_ARGS__))

/* ---- memory spaces: an address means the same in each of them, except for shared memory */

static inline unsigned __isGlobal(const void *p) { return sim_memory_of(p) == SIM_MEMORY_GLOBAL; }
static inline unsigned __isShared(const void *p) { return sim_memory_of(p) == SIM_MEMORY_SHARED; }
static inline unsigned __isConstant(const void *p) {
    return sim_memory_of(p) == SIM_MEMORY_CONSTANT;
}
static inline unsigned __isLocal(const void *p) { return sim_memory_of(p) == SIM_MEMORY_LOCAL; }
static inline size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
static inline size_t __cvta_generic_to_shared(const void *p) { return sim_shared_offset(p); }
static inline size_t __cvta_generic_to_constant(const void *p) { return (size_t)p; }
static inline size_t __cvta_generic_to_local(const void *p) { return (size_t)p; }
static inline void *__cvta_global_to_generic(size_t address) { return (void *)address; }
static inline void *__cvta_shared_to_generic(size_t offset) { return sim_shared_at(offset); }
static inline void *__cvta_constant_to_generic(size_t address) { return (void *)address; }
static inline void *__cvta_local_to_generic(size_t address) { return (void *)address; }

/* ---- hints: to a debugger, a profiler, the compiler */

static inline void __brkpt(SIM_SITE) { sim_trap(sim_file, sim_line); }
#define __prof_trigger(counter) ((void)0)
#define __builtin_assume(condition) ((void)0)
#define __assume(condition) ((void)0)
