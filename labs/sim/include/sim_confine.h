/* What a call of the runtime API writes through its arguments, such as the pointer of cudaMalloc(),
 * is an access of the caller's: in a traced program it may not be to memory of the runtime. What it
 * copies is checked when it is copied. */
#pragma once

#include <stddef.h>

/* labs/sim/src/trace/confinement.h. */
extern "C" void sim_confine(const void *at, size_t bytes, const char *file, int line);

/* The size of what a pointer points to; 0 for void and for types that are not defined, which a call
 * does not write. */
template <class T, class = void> struct sim_size {
    static constexpr size_t of = 0;
};
template <class T> struct sim_size<T, decltype((void)sizeof(T))> {
    static constexpr size_t of = sizeof(T);
};
template <> struct sim_size<void, void> {
    static constexpr size_t of = 0;
};

/* A function cannot be const. */
template <class T> constexpr bool sim_is_variable = false;
template <class T> constexpr bool sim_is_variable<const T> = true;

template <class T> static inline void sim_confine_result(const char *, int, const T &) {}
template <class T> static inline void sim_confine_result(const char *, int, const T *const &) {}
template <class T> static inline void sim_confine_result(const char *file, int line, T *const &at) {
    if constexpr (sim_is_variable<const T>) {
        if (at != nullptr && sim_size<T>::of > 0) {
            sim_confine((const void *)at, sim_size<T>::of, file, line);
        }
    }
}

template <class... T>
static inline void sim_confine_results(const char *file, int line, const T &...arguments) {
    (sim_confine_result(file, line, arguments), ...);
}
