/* Integer intrinsics of CUDA: bits, products, sums of products, shifts of two words. */
#pragma once

#include "sim/rounding.h"

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline int sim_low_24(int x) { return (int)((unsigned)x << 8) >> 8; }
static inline int __mul24(int a, int b) {
    return (int)(unsigned)((long long)sim_low_24(a) * sim_low_24(b));
}
static inline unsigned __umul24(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)(a & 0xffffffu) * (b & 0xffffffu));
}
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}

/* ---- integers */

static inline unsigned __usad(unsigned a, unsigned b, unsigned sum) {
    return (a > b ? a - b : b - a) + sum;
}
static inline unsigned __sad(int a, int b, unsigned sum) {
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + sum;
}
/* The mean, rounded down or (r) up. */
static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
static inline unsigned __urhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
static inline long long __mul64hi(long long a, long long b) {
    return (long long)((__int128)a * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
/* Four of the eight bytes of b:a, chosen by the low three bits of each nibble of `which`. */
/* Both words as one. g++ must not see that it could load them as one: that would be counted. */
static inline unsigned long long sim_word_pair(unsigned low, unsigned high) {
    asm("" : "+r"(low));
    return (unsigned long long)high << 32 | low;
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned which) {
    unsigned long long bytes = sim_word_pair(a, b);
    unsigned chosen = 0;
    for (int i = 0; i < 4; i++) {
        unsigned byte = which >> 4 * i & 7u;
        chosen |= ((unsigned)(bytes >> 8 * byte) & 255u) << 8 * i;
    }
    return chosen;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)((sim_word_pair(low, high) << (shift & 31u)) >> 32);
}
/* The forms with a `c` shift by 32 at most. */
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)((sim_word_pair(low, high) << (shift < 32u ? shift : 32u)) >> 32);
}
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(sim_word_pair(low, high) >> (shift < 32u ? shift : 32u));
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(sim_word_pair(low, high) >> (shift & 31u));
}

static inline unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
static inline unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
static inline unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }

/* ---- sums of products: four pairs of bytes, or two pairs of 16 bits and 8 bits */

template <class T> static inline int sim_byte(unsigned x, int i) { return (T)(x >> 8 * i); }
template <class A, class B>
static inline unsigned sim_dot_bytes(unsigned a, unsigned b, unsigned sum) {
    for (int i = 0; i < 4; i++) {
        sum += (unsigned)(sim_byte<A>(a, i) * sim_byte<B>(b, i));
    }
    return sum;
}
static inline int __dp4a(int a, int b, int sum) {
    return (int)sim_dot_bytes<signed char, signed char>((unsigned)a, (unsigned)b, (unsigned)sum);
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    return sim_dot_bytes<unsigned char, unsigned char>(a, b, sum);
}
static inline int __dp4a(char4 a, char4 b, int sum) {
    return __dp4a(sim_as<int>(a), sim_as<int>(b), sum);
}
static inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) {
    return __dp4a(sim_as<unsigned>(a), sim_as<unsigned>(b), sum);
}

/* `first`: the byte of b that belongs to the low 16 bits of a. */
template <class A, class B>
static inline unsigned sim_dot_words(unsigned a, unsigned b, unsigned sum, int first) {
    int low = (A)a, high = (A)(a >> 16);
    return sum + (unsigned)(low * sim_byte<B>(b, first)) +
           (unsigned)(high * sim_byte<B>(b, first + 1));
}
static inline int __dp2a_lo(int a, int b, int sum) {
    return (int)sim_dot_words<short, signed char>((unsigned)a, (unsigned)b, (unsigned)sum, 0);
}
static inline int __dp2a_hi(int a, int b, int sum) {
    return (int)sim_dot_words<short, signed char>((unsigned)a, (unsigned)b, (unsigned)sum, 2);
}
static inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
    return sim_dot_words<unsigned short, unsigned char>(a, b, sum, 0);
}
static inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) {
    return sim_dot_words<unsigned short, unsigned char>(a, b, sum, 2);
}
static inline int __dp2a_lo(short2 a, char4 b, int sum) {
    return __dp2a_lo(sim_as<int>(a), sim_as<int>(b), sum);
}
static inline int __dp2a_hi(short2 a, char4 b, int sum) {
    return __dp2a_hi(sim_as<int>(a), sim_as<int>(b), sum);
}
static inline unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned sum) {
    return __dp2a_lo(sim_as<unsigned>(a), sim_as<unsigned>(b), sum);
}
static inline unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned sum) {
    return __dp2a_hi(sim_as<unsigned>(a), sim_as<unsigned>(b), sum);
}

/* ---- shifts of device code: by any number from the width on as by the width. C++ leaves that
 * undefined; translate/device/arithmetic.py makes an operator of two. */

struct sim_shift {};
template <class T> struct sim_shifted {
    T value;
};
template <class T> struct sim_shift_by {
    T count;
};
template <class T> /* a scoped enumeration has no shifts but its own */
constexpr bool sim_is_shifted =
    std::is_integral<T>::value || (std::is_enum<T>::value && std::is_convertible<T, int>::value);

template <class X, class N> SIM_FOLDED auto sim_left(X x, N n) {
    if constexpr (sim_is_shifted<X> && sim_is_shifted<N>) {
        const unsigned count = (unsigned)n;
        return count < 8 * sizeof +x ? +x << count : 0 * +x;
    } else {
        return x << n;
    }
}
template <class X, class N> SIM_FOLDED auto sim_right(X x, N n) {
    if constexpr (sim_is_shifted<X> && sim_is_shifted<N>) {
        const unsigned count = (unsigned)n, most = 8 * sizeof +x - 1;
        return count <= most ? +x >> count : +x >> most >> 1;
    } else {
        return x >> n;
    }
}
template <class X> using sim_if_number = std::enable_if_t<sim_is_shifted<X>, int>;
/* A stream, or whatever has an operator << or >> of its own. */
template <class X>
using sim_if_object = std::enable_if_t<!sim_is_shifted<std::remove_reference_t<X>>, int>;
template <class X> struct sim_streamed {
    X &&object;
};
#define SIM_SHIFT(sign, shifted)                                                                   \
    template <class X, sim_if_number<X> = 0>                                                       \
    SIM_FOLDED sim_shifted<X> operator sign(X x, sim_shift) {                                      \
        return {x};                                                                                \
    }                                                                                              \
    template <class X, sim_if_object<X> = 0>                                                       \
    SIM_FOLDED sim_streamed<X> operator sign(X &&x, sim_shift) {                                   \
        return {static_cast<X &&>(x)};                                                             \
    }                                                                                              \
    template <class X, class N> SIM_FOLDED auto operator sign(sim_shifted<X> x, N n) {             \
        return shifted(x.value, n);                                                                \
    }                                                                                              \
    template <class X, class N>                                                                    \
    SIM_FOLDED decltype(auto) operator sign(sim_streamed<X> x, N &&n) {                            \
        return static_cast<X &&>(x.object) sign static_cast<N &&>(n);                              \
    }                                                                                              \
    template <class X> /* such as std::endl */                                                     \
    SIM_FOLDED decltype(auto) operator sign(sim_streamed<X &> x, X &(*n)(X &)) {                   \
        return x.object sign n;                                                                    \
    }                                                                                              \
    template <class X, class N> SIM_FOLDED X &operator sign## = (X & x, sim_shift_by<N> by) {      \
        if constexpr (sim_is_shifted<X>) {                                                         \
            return x = (X)shifted(x, by.count);                                                    \
        } else {                                                                                   \
            return x sign## = by.count, x;                                                         \
        }                                                                                          \
    }
SIM_SHIFT(<<, sim_left)
SIM_SHIFT(>>, sim_right)
#undef SIM_SHIFT
/* x <<= sim_shift{} %= n */
template <class N> SIM_FOLDED sim_shift_by<N> operator%=(sim_shift, N n) { return {n}; }
