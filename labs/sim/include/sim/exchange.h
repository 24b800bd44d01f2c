/* Accesses of a plain program by which lanes of a warp may exchange values with no barrier:
 * labs/sim/translate/watch/exchanges.py. In a part of the blocks, labs/sim/src/exec/exchange.c
 * looks whether they do, and there the lanes make these accesses together, as on a device. */
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
extern __thread bool sim_watching;
#else
extern _Thread_local bool sim_watching;

/* A block begins: none of its threads has run yet; it has ended. */
struct worker;
void sim_exchange_begin(struct worker *w);
void sim_exchange_end(const struct worker *w);
#endif

/* The running thread will make an access at FILE:LINE. `how`: 1, it loads, 2, it stores, 3, both;
 * and 4 times its place in the source. As far as the compiler can know, the call neither reads nor
 * writes memory: what is kept in registers without the watch stays there. */
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
    /* Two equal accesses are two calls, and other lanes may change what is accessed there. */
    template <class T> inline __attribute__((always_inline)) void access(T &it) const {
        const volatile void *address = __builtin_addressof(it);
        asm volatile("" : "+r"(address), "+m"(it));
        asm volatile("" : "+m"(it) : "r"(sim_exchange_access(address, how, file, line)));
    }
    template <class T>
    constexpr inline __attribute__((always_inline)) T &&operator->*(T &&it) const {
        if constexpr (!std::is_array<typename std::remove_reference<T>::type>::value) {
            if (__builtin_expect(sim_watching, 0)) {
                access(const_cast<
                       typename std::remove_cv<typename std::remove_reference<T>::type>::type &>(
                    it));
            }
        }
        return static_cast<T &&>(it);
    }
};

/* The end of a round of a loop with such accesses: lanes that left some out wait for the others. */
static inline __attribute__((always_inline)) void sim_exchange_round(unsigned how) {
    if (__builtin_expect(sim_watching, 0)) {
        asm volatile("" : "+r"(how));
        asm volatile("" : : "r"(sim_exchange_access(nullptr, how, nullptr, 0)));
    }
}

/* The same for what a statement stores elsewhere: it is loaded before the other side is accessed.
 */
struct sim_exchange_value {
    const char *file;
    int line;
    unsigned how;
    template <class T>
    constexpr inline __attribute__((always_inline)) auto operator->*(T &&it) const ->
        typename std::conditional<
            std::is_trivially_copyable<typename std::remove_reference<T>::type>::value &&
                !std::is_array<typename std::remove_reference<T>::type>::value,
            typename std::remove_cv<typename std::remove_reference<T>::type>::type, T &&>::type {
        return sim_exchange{file, line, how}->*static_cast<T &&>(it);
    }
};
#endif
