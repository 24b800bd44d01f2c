/* Loads and stores of a kernel that are more than `*p`: with a cache hint. */
#pragma once

#include "sim/rounding.h"

#include <type_traits>

/* ---- cache hints: plain accesses, reported at the program's line */

/* A structure is not copied here: its fields may be read one by one (sim/loads.h). */
template <class T>
using sim_loaded = typename std::conditional<std::is_class<T>::value, const T &, T>::type;

#ifdef SIM_LOCK_STEP
#include "sim/vectors.h"
#define SIM_WHOLE(address) sim_vectors<true>(address)
#else
#define SIM_WHOLE(address) address
#endif
#define SIM_LOAD(name)                                                                             \
    template <class T> SIM_INLINED sim_loaded<T> name(const T *address) {                          \
        return *SIM_WHOLE(address);                                                                \
    }
#define SIM_STORE(name)                                                                            \
    template <class T, class V> SIM_INLINED void name(T *address, const V &value) {                \
        *SIM_WHOLE(address) = value;                                                               \
    }

/* Data that no thread writes while the kernel runs. */
#ifdef __SANITIZE_THREAD__
extern "C"
    __attribute__((const, nothrow, leaf)) int sim_read_only(const void *at, unsigned long bytes);
template <class T> SIM_INLINED sim_loaded<T> __ldg(const T *address) {
    const void *at = address;
    asm volatile("" : "+r"(at)); /* two equal loads are two calls */
    asm volatile("" : : "r"(sim_read_only(at, sizeof(T))));
    return *address;
}
#else
SIM_LOAD(__ldg)
#endif
SIM_LOAD(__ldca)
SIM_LOAD(__ldcg)
SIM_LOAD(__ldcs)
SIM_LOAD(__ldlu)
SIM_LOAD(__ldcv)
SIM_STORE(__stwb)
SIM_STORE(__stcg)
SIM_STORE(__stcs)
SIM_STORE(__stwt)

#undef SIM_WHOLE
#undef SIM_STORE
#undef SIM_LOAD
