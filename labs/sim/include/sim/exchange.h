/* Accesses of a plain program by which lanes of a warp may exchange values with no barrier:
 * labs/sim/translate/exchanges.py. In a part of the blocks, labs/sim/src/exec/exchange.c looks
 * whether they do. */
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
extern __thread bool sim_watching;
#else
extern _Thread_local bool sim_watching;

/* A block begins: none of its threads has run yet. */
struct worker;
void sim_exchange_begin(struct worker *w);
#endif

/* The running thread makes an access at FILE:LINE. `how`: 1, it loads, 2, it stores, 3, both. As
 * far as the compiler can know, the call neither reads nor writes memory: what is kept in registers
 * without the watch stays there. */
__attribute__((const, nothrow, leaf, cold)) int
sim_exchange_access(const volatile void *address, unsigned how, const char *file, int line);

#ifdef __cplusplus
}
#include <type_traits>

/* (sim_exchange{FILE, LINE, how}->*a[i]) is a[i]. A row of an array is no access. */
struct sim_exchange {
    const char *file;
    int line;
    unsigned how;
    inline __attribute__((always_inline)) void access(const volatile void *address) const {
        asm volatile("" : "+r"(address)); /* two equal accesses are two calls */
        asm volatile("" : : "r"(sim_exchange_access(address, how, file, line)));
    }
    template <class T>
    constexpr inline __attribute__((always_inline)) T &&operator->*(T &&it) const {
        if constexpr (!std::is_array<typename std::remove_reference<T>::type>::value) {
            if (__builtin_expect(sim_watching, 0)) {
                access(__builtin_addressof(it));
            }
        }
        return static_cast<T &&>(it);
    }
};
#endif
