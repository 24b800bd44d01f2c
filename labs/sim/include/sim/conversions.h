/* Conversions between number types, with a direction of rounding: __float2int_rd() and the rest.
 *
 * To an integer: out of range gives the nearest value. What is no number gives 0, except that a
 * double, or a result of 64 bits, gives the value whose top bit alone is set. */
#pragma once

#include "sim/rounding.h"

/* ---- to an integer */

static inline double sim_integral(double x, sim_rounding mode) {
    switch (mode) {
    case SIM_ROUND_NEAREST:
        return __builtin_rint(x);
    case SIM_ROUND_DOWN:
        return __builtin_floor(x);
    case SIM_ROUND_UP:
        return __builtin_ceil(x);
    default:
        return __builtin_trunc(x);
    }
}

/* x, an integer, in the range of To. `none`: the result if x is no number. */
template <class To> static inline To sim_saturated(double x, To none) {
    constexpr To least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
    constexpr double beyond = 2.0 * (double)(most / 2 + 1);
    return x != x ? none : x >= beyond ? most : x <= (double)least ? least : (To)x;
}
template <class To> constexpr To sim_top_bit = (To)((To)1 << (8 * sizeof(To) - 1));

/* `is_double`: the number to convert is one in the program; a double holds every float and half. */
template <class To> SIM_PURE To sim_to_integer(double x, sim_rounding mode, bool is_double) {
    bool wide = is_double || sizeof(To) == 8;
    return sim_saturated<To>(sim_integral(x, mode), wide ? sim_top_bit<To> : (To)0);
}

#define SIM_TO_INTEGER_BY(name, From, To, mode)                                                    \
    SIM_INLINED To name(From x) { return sim_to_integer<To>((double)x, mode, sizeof x == 8); }
#define SIM_TO_INTEGER(name, From, To)                                                             \
    SIM_TO_INTEGER_BY(name##_rn, From, To, SIM_ROUND_NEAREST)                                      \
    SIM_TO_INTEGER_BY(name##_rz, From, To, SIM_ROUND_ZERO)                                         \
    SIM_TO_INTEGER_BY(name##_rd, From, To, SIM_ROUND_DOWN)                                         \
    SIM_TO_INTEGER_BY(name##_ru, From, To, SIM_ROUND_UP)

SIM_TO_INTEGER(__float2int, float, int)
SIM_TO_INTEGER(__float2uint, float, unsigned)
SIM_TO_INTEGER(__float2ll, float, long long)
SIM_TO_INTEGER(__float2ull, float, unsigned long long)
SIM_TO_INTEGER(__double2int, double, int)
SIM_TO_INTEGER(__double2uint, double, unsigned)
SIM_TO_INTEGER(__double2ll, double, long long)
SIM_TO_INTEGER(__double2ull, double, unsigned long long)

#undef SIM_TO_INTEGER
#undef SIM_TO_INTEGER_BY

/* ---- from an integer */

/* x as a double, rounded to odd: see sim/rounding.h. */
static inline double sim_integer_to_odd(double x) { return x; }
template <class From> static inline double sim_integer_to_odd(From x) {
    if (sizeof(From) < 8) {
        return (double)x;
    }
    unsigned long long size = x < 0 ? 0ull - (unsigned long long)x : (unsigned long long)x;
    if (size >> 53) { /* 52 bits, and one that says whether there were more */
        size = (size & ~0xfffull) | (unsigned long long)((size & 0xfff) != 0) << 11;
    }
    return x < 0 ? -(double)size : (double)size;
}

#define SIM_TO_FLOAT_BY(name, From, mode)                                                          \
    SIM_PURE float name(From x) { return sim_narrow(sim_integer_to_odd(x), mode); }
#define SIM_TO_FLOAT(name, From)                                                                   \
    SIM_TO_FLOAT_BY(name##_rz, From, SIM_ROUND_ZERO)                                               \
    SIM_TO_FLOAT_BY(name##_rd, From, SIM_ROUND_DOWN)                                               \
    SIM_TO_FLOAT_BY(name##_ru, From, SIM_ROUND_UP)

SIM_TO_FLOAT(__int2float, int)
SIM_TO_FLOAT(__uint2float, unsigned)
SIM_TO_FLOAT(__ll2float, long long)
SIM_TO_FLOAT(__ull2float, unsigned long long)
SIM_TO_FLOAT(__double2float, double)

#undef SIM_TO_FLOAT
#undef SIM_TO_FLOAT_BY

/* A 64-bit integer as a double, in one direction. */
template <class From> static inline double sim_integer_to_double(From x, sim_rounding mode) {
    double y = (double)x; /* the nearest, and it differs from x by less than 2^12 */
    __int128 rest = (__int128)x - (__int128)y;
    bool down = mode == SIM_ROUND_DOWN || (mode == SIM_ROUND_ZERO && x > 0);
    long long bits = sim_as<long long>(y), toward_more = y < 0.0 ? -1 : 1;
    if (down && rest < 0) {
        bits -= toward_more;
    } else if (!down && rest > 0) {
        bits += toward_more;
    }
    return sim_as<double>(bits);
}

#define SIM_TO_DOUBLE_BY(name, From, mode)                                                         \
    SIM_PURE double name(From x) { return sim_integer_to_double(x, mode); }
#define SIM_TO_DOUBLE(name, From)                                                                  \
    SIM_TO_DOUBLE_BY(name##_rz, From, SIM_ROUND_ZERO)                                              \
    SIM_TO_DOUBLE_BY(name##_rd, From, SIM_ROUND_DOWN)                                              \
    SIM_TO_DOUBLE_BY(name##_ru, From, SIM_ROUND_UP)

SIM_TO_DOUBLE(__ll2double, long long)
SIM_TO_DOUBLE(__ull2double, unsigned long long)

#undef SIM_TO_DOUBLE_BY
#undef SIM_TO_DOUBLE

static inline float __int2float_rn(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline float __ll2float_rn(long long x) { return (float)x; }
static inline float __ull2float_rn(unsigned long long x) { return (float)x; }
static inline float __double2float_rn(double x) { return (float)x; }
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned x) { return x; }
static inline double __ll2double_rn(long long x) { return (double)x; }
static inline double __ull2double_rn(unsigned long long x) { return (double)x; }

/* ---- the same bits */

static inline int __float_as_int(float x) { return sim_as<int>(x); }
static inline unsigned __float_as_uint(float x) { return sim_as<unsigned>(x); }
static inline float __int_as_float(int x) { return sim_as<float>(x); }
static inline float __uint_as_float(unsigned x) { return sim_as<float>(x); }
static inline long long __double_as_longlong(double x) { return sim_as<long long>(x); }
static inline double __longlong_as_double(long long x) { return sim_as<double>(x); }
static inline double __hiloint2double(int high, int low) {
    return sim_as<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}
static inline int __double2hiint(double x) { return (int)(sim_as<long long>(x) >> 32); }
static inline int __double2loint(double x) { return (int)sim_as<long long>(x); }

/* ---- as the language converts, in device code: translate/device/arithmetic.py puts these there.
 * In 32 or 64 bits, of which a narrower type has the low ones. A scalar is taken by value, so that
 * a load of it is the program's own, at its own line. */

/* x, which does not fit. The functions of the host convert as the host does. */
template <class To, class Wide, class From> SIM_UNTRACED To sim_out_of_range(From x) {
    return sim_on_device() ? (To)sim_to_integer<Wide>(x, SIM_ROUND_ZERO, sizeof x == 8) : (To)x;
}

template <class To, class From> SIM_FOLDED To sim_convert(From x) {
    constexpr bool to_integer = std::is_integral<To>::value && !std::is_same<To, bool>::value;
    if constexpr (to_integer && std::is_floating_point<From>::value && sizeof(To) <= 8) {
        using Short = std::conditional_t<std::is_unsigned<To>::value, unsigned, int>;
        using Wide = std::conditional_t<sizeof(To) == 8, To, Short>;
        constexpr Wide least = std::numeric_limits<Wide>::min();
        constexpr From beyond = (From)(std::numeric_limits<Wide>::max() / 2 + 1) * 2;
        const bool fits = x < beyond && (least<0 ? x >= (From)least : x>(From) - 1);
        return __builtin_expect(fits, 1) ? (To)(Wide)x : sim_out_of_range<To, Wide>(x);
    } else {
        return (To)x;
    }
}

/* sim_to<T>{}->*x is (T)x, and what stands in front of the cast may be another or a sign. */
struct sim_prefix {};
template <class To> struct sim_to : sim_prefix {
    template <class X> SIM_FOLDED static To of(X x) { return sim_convert<To>(x); }
};
template <class Outer, class Inner> struct sim_both : sim_prefix {
    template <class X> SIM_FOLDED static auto of(X x) { return Outer::of(Inner::of(x)); }
};
template <class P>
using sim_if_prefix = std::enable_if_t<std::is_base_of<sim_prefix, P>::value, int>;

template <class P, class X, sim_if_prefix<P> = 0> SIM_FOLDED auto operator->*(P, X x) {
    if constexpr (std::is_base_of<sim_prefix, X>::value) {
        return sim_both<P, X>{};
    } else {
        return P::of(x);
    }
}
#define SIM_SIGN(name, sign)                                                                       \
    struct name : sim_prefix {                                                                     \
        template <class X> SIM_FOLDED static auto of(X x) { return sign x; }                       \
    };                                                                                             \
    template <class P, sim_if_prefix<P> = 0> SIM_FOLDED sim_both<name, P> operator sign(P) {       \
        return {};                                                                                 \
    }
SIM_SIGN(sim_plus, +)
SIM_SIGN(sim_minus, -)
SIM_SIGN(sim_not, !)
SIM_SIGN(sim_complement, ~)
#undef SIM_SIGN

/* y = sim_from<decltype((y))>{} = x converts without a cast. Only an integer y changes anything. A
 * number x is taken by value: it may be a bit field, or a constant that is stored nowhere. A
 * pointer to a function takes the name of an overloaded one. */
template <class X>
constexpr bool sim_is_number = std::is_arithmetic<X>::value || std::is_enum<X>::value;
struct sim_from_any {
    template <class X, std::enable_if_t<sim_is_number<X>, int> = 0>
    SIM_FOLDED X operator=(X x) const {
        return x;
    }
    template <class X, std::enable_if_t<!sim_is_number<std::remove_reference_t<X>>, int> = 0>
    SIM_FOLDED X &&operator=(X &&x) const {
        return static_cast<X &&>(x);
    }
};
template <class To>
constexpr bool sim_is_function = std::is_function<std::remove_pointer_t<To>>::value ||
                                 std::is_member_function_pointer<To>::value;
template <class To, class = void> struct sim_from_to : sim_from_any {
    using sim_from_any::operator=;
};
template <class To> struct sim_from_to<To, std::enable_if_t<sim_is_function<To>>> : sim_from_any {
    using sim_from_any::operator=;
    SIM_FOLDED To operator=(To x) const { return x; }
};
template <class To> struct sim_from_to<To, std::enable_if_t<std::is_arithmetic<To>::value>> {
    template <class X> SIM_FOLDED auto operator=(X x) const {
        if constexpr (std::is_floating_point<X>::value) {
            return sim_convert<To>(x);
        } else {
            return x;
        }
    }
};
template <class To> using sim_from = sim_from_to<std::remove_cv_t<std::remove_reference_t<To>>>;

/* lrint() and the like of device code saturate, too: the translator gives them these names. */
#define SIM_TO_NEAREST(To, name, nearest)                                                          \
    static inline To sim_##name(double x) { return sim_convert<To>(__builtin_##nearest(x)); }      \
    static inline To sim_##name(float x) { return sim_convert<To>(__builtin_##nearest##f(x)); }    \
    static inline To sim_##name##f(float x) { return sim_##name(x); }                              \
    template <class X> static inline To sim_##name(X x) { return sim_##name((double)x); }
SIM_TO_NEAREST(long, lrint, rint)
SIM_TO_NEAREST(long, lround, round)
SIM_TO_NEAREST(long long, llrint, rint)
SIM_TO_NEAREST(long long, llround, round)
#undef SIM_TO_NEAREST
