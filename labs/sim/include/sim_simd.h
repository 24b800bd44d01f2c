/* CUDA's SIMD instructions: two halfwords or four bytes of one word, computed each by itself. */
#pragma once

#include "sim_rounding.h"

/* `operation` takes and returns int: every sum and difference of two parts fits. The result keeps
 * the low bits of each part. T: the type of a part. */
template <class T, class F> static inline unsigned sim_parts(unsigned a, unsigned b, F operation) {
    constexpr int width = 8 * (int)sizeof(T);
    unsigned result = 0;
    for (int at = 0; at < 32; at += width) {
        unsigned part = (unsigned)operation((int)(T)(a >> at), (int)(T)(b >> at));
        result |= (part & ((1u << width) - 1)) << at;
    }
    return result;
}
template <class T, class F>
static inline unsigned sim_parts(unsigned a, unsigned b, unsigned c, F operation) {
    constexpr int width = 8 * (int)sizeof(T);
    unsigned result = 0;
    for (int at = 0; at < 32; at += width) {
        unsigned part =
            (unsigned)operation((int)(T)(a >> at), (int)(T)(b >> at), (int)(T)(c >> at));
        result |= (part & ((1u << width) - 1)) << at;
    }
    return result;
}

/* The nearest value of T. */
template <class T> static inline int sim_clamped(int x) {
    constexpr int least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    return x < least ? least : x > most ? most : x;
}
static inline int sim_distance(int a, int b) { return a > b ? a - b : b - a; }
static inline int sim_smaller(int a, int b) { return a < b ? a : b; }
static inline int sim_larger(int a, int b) { return a > b ? a : b; }

#define SIM_ONE_PART(name, T, result)                                                              \
    SIM_PURE unsigned name(unsigned x) {                                                           \
        return sim_parts<T>(x, 0, [](int a, int) { return result; });                              \
    }
#define SIM_TWO_PARTS(name, T, result)                                                             \
    SIM_PURE unsigned name(unsigned x, unsigned y) {                                               \
        return sim_parts<T>(x, y, [](int a, int b) { return result; });                            \
    }
#define SIM_SUM_OF_PARTS(name, T)                                                                  \
    SIM_PURE unsigned name(unsigned x, unsigned y) {                                               \
        unsigned sum = 0;                                                                          \
        sim_parts<T>(x, y,                                                                         \
                     [&sum](int a, int b) { return sum += (unsigned)sim_distance(a, b), 0; });     \
        return sum;                                                                                \
    }

/* The parts are of type S, or U where they are unsigned; n: how many there are. */
#define SIM_INSTRUCTIONS(n, S, U)                                                                  \
    SIM_ONE_PART(__vabs##n, S, a < 0 ? -a : a)                                                     \
    SIM_ONE_PART(__vabsss##n, S, sim_clamped<S>(a < 0 ? -a : a))                                   \
    SIM_ONE_PART(__vneg##n, S, -a)                                                                 \
    SIM_ONE_PART(__vnegss##n, S, sim_clamped<S>(-a))                                               \
    SIM_TWO_PARTS(__vadd##n, U, a + b)                                                             \
    SIM_TWO_PARTS(__vaddss##n, S, sim_clamped<S>(a + b))                                           \
    SIM_TWO_PARTS(__vaddus##n, U, sim_clamped<U>(a + b))                                           \
    SIM_TWO_PARTS(__vsub##n, U, a - b)                                                             \
    SIM_TWO_PARTS(__vsubss##n, S, sim_clamped<S>(a - b))                                           \
    SIM_TWO_PARTS(__vsubus##n, U, sim_clamped<U>(a - b))                                           \
    /* The mean, rounded away from zero; rounded up; rounded down. */                              \
    SIM_TWO_PARTS(__vavgs##n, S, (a + b + (a + b >= 0)) >> 1)                                      \
    SIM_TWO_PARTS(__vavgu##n, U, (a + b + 1) >> 1)                                                 \
    SIM_TWO_PARTS(__vhaddu##n, U, (a + b) >> 1)                                                    \
    SIM_TWO_PARTS(__vabsdiffs##n, S, sim_distance(a, b))                                           \
    SIM_TWO_PARTS(__vabsdiffu##n, U, sim_distance(a, b))                                           \
    SIM_TWO_PARTS(__vmaxs##n, S, sim_larger(a, b))                                                 \
    SIM_TWO_PARTS(__vmaxu##n, U, sim_larger(a, b))                                                 \
    SIM_TWO_PARTS(__vmins##n, S, sim_smaller(a, b))                                                \
    SIM_TWO_PARTS(__vminu##n, U, sim_smaller(a, b))                                                \
    SIM_SUM_OF_PARTS(__vsads##n, S)                                                                \
    SIM_SUM_OF_PARTS(__vsadu##n, U)                                                                \
    /* All bits of a part where it holds; 1 where it holds. */                                     \
    SIM_TWO_PARTS(__vcmpeq##n, U, -(a == b))                                                       \
    SIM_TWO_PARTS(__vcmpne##n, U, -(a != b))                                                       \
    SIM_TWO_PARTS(__vcmpges##n, S, -(a >= b))                                                      \
    SIM_TWO_PARTS(__vcmpgeu##n, U, -(a >= b))                                                      \
    SIM_TWO_PARTS(__vcmpgts##n, S, -(a > b))                                                       \
    SIM_TWO_PARTS(__vcmpgtu##n, U, -(a > b))                                                       \
    SIM_TWO_PARTS(__vcmples##n, S, -(a <= b))                                                      \
    SIM_TWO_PARTS(__vcmpleu##n, U, -(a <= b))                                                      \
    SIM_TWO_PARTS(__vcmplts##n, S, -(a < b))                                                       \
    SIM_TWO_PARTS(__vcmpltu##n, U, -(a < b))                                                       \
    SIM_TWO_PARTS(__vseteq##n, U, a == b)                                                          \
    SIM_TWO_PARTS(__vsetne##n, U, a != b)                                                          \
    SIM_TWO_PARTS(__vsetges##n, S, a >= b)                                                         \
    SIM_TWO_PARTS(__vsetgeu##n, U, a >= b)                                                         \
    SIM_TWO_PARTS(__vsetgts##n, S, a > b)                                                          \
    SIM_TWO_PARTS(__vsetgtu##n, U, a > b)                                                          \
    SIM_TWO_PARTS(__vsetles##n, S, a <= b)                                                         \
    SIM_TWO_PARTS(__vsetleu##n, U, a <= b)                                                         \
    SIM_TWO_PARTS(__vsetlts##n, S, a < b)                                                          \
    SIM_TWO_PARTS(__vsetltu##n, U, a < b)

SIM_INSTRUCTIONS(2, short, unsigned short)
SIM_INSTRUCTIONS(4, signed char, unsigned char)

#undef SIM_INSTRUCTIONS
#undef SIM_SUM_OF_PARTS
#undef SIM_TWO_PARTS
#undef SIM_ONE_PART

/* ---- the largest or smallest of three, of a sum and a number, of two with a comparison; `relu`:
 * and of 0. Sums wrap. */

#define SIM_WORDS(name, T, arguments, result)                                                      \
    SIM_PURE T name arguments { return result; }
#define SIM_HALFWORDS(name, T, result)                                                             \
    SIM_PURE unsigned name(unsigned x, unsigned y, unsigned z) {                                   \
        return sim_parts<T>(x, y, z, [](int a, int b, int c) { return result; });                  \
    }
#define SIM_HALFWORDS_RELU(name, result)                                                           \
    SIM_PURE unsigned name(unsigned x, unsigned y) {                                               \
        return sim_parts<short>(x, y, [](int a, int b) { return sim_larger(result, 0); });         \
    }

static inline int sim_wrapped_sum(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static inline unsigned sim_smaller(unsigned a, unsigned b) { return a < b ? a : b; }
static inline unsigned sim_larger(unsigned a, unsigned b) { return a > b ? a : b; }

#define SIM_EXTREMES(best, of)                                                                     \
    SIM_WORDS(__vi##best##3_s32, int, (int a, int b, int c), of(of(a, b), c))                      \
    SIM_WORDS(__vi##best##3_u32, unsigned, (unsigned a, unsigned b, unsigned c), of(of(a, b), c))  \
    SIM_WORDS(__vi##best##3_s32_relu, int, (int a, int b, int c), sim_larger(of(of(a, b), c), 0))  \
    SIM_WORDS(__vi##best##_s32_relu, int, (int a, int b), sim_larger(of(a, b), 0))                 \
    SIM_WORDS(__viadd##best##_s32, int, (int a, int b, int c), of(sim_wrapped_sum(a, b), c))       \
    SIM_WORDS(__viadd##best##_u32, unsigned, (unsigned a, unsigned b, unsigned c), of(a + b, c))   \
    SIM_WORDS(__viadd##best##_s32_relu, int, (int a, int b, int c),                                \
              sim_larger(of(sim_wrapped_sum(a, b), c), 0))                                         \
    SIM_HALFWORDS(__vi##best##3_s16x2, short, of(of(a, b), c))                                     \
    SIM_HALFWORDS(__vi##best##3_u16x2, unsigned short, of(of(a, b), c))                            \
    SIM_HALFWORDS(__vi##best##3_s16x2_relu, short, sim_larger(of(of(a, b), c), 0))                 \
    SIM_HALFWORDS_RELU(__vi##best##_s16x2_relu, of(a, b))                                          \
    SIM_HALFWORDS(__viadd##best##_s16x2, short, of((int)(short)(a + b), c))                        \
    SIM_HALFWORDS(__viadd##best##_u16x2, unsigned short, of((int)(unsigned short)(a + b), c))      \
    SIM_HALFWORDS(__viadd##best##_s16x2_relu, short, sim_larger(of((int)(short)(a + b), c), 0))

SIM_EXTREMES(max, sim_larger)
SIM_EXTREMES(min, sim_smaller)

#undef SIM_EXTREMES
#undef SIM_HALFWORDS_RELU
#undef SIM_HALFWORDS
#undef SIM_WORDS

/* `holds`: is a the result? */
#define SIM_COMPARED(name, T, choose, compare)                                                     \
    SIM_INLINED T name(T a, T b, bool *holds) {                                                    \
        *holds = a compare b;                                                                      \
        return choose(a, b);                                                                       \
    }
#define SIM_HALVES_COMPARED(name, T, parts, compare)                                               \
    SIM_INLINED unsigned name(unsigned a, unsigned b, bool *high_holds, bool *low_holds) {         \
        *high_holds = (T)(a >> 16) compare(T)(b >> 16);                                            \
        *low_holds = (T)a compare(T) b;                                                            \
        return parts(a, b);                                                                        \
    }
SIM_COMPARED(__vibmax_s32, int, sim_larger, >=)
SIM_COMPARED(__vibmin_s32, int, sim_smaller, <=)
SIM_COMPARED(__vibmax_u32, unsigned, sim_larger, >=)
SIM_COMPARED(__vibmin_u32, unsigned, sim_smaller, <=)
SIM_HALVES_COMPARED(__vibmax_s16x2, short, __vmaxs2, >=)
SIM_HALVES_COMPARED(__vibmin_s16x2, short, __vmins2, <=)
SIM_HALVES_COMPARED(__vibmax_u16x2, unsigned short, __vmaxu2, >=)
SIM_HALVES_COMPARED(__vibmin_u16x2, unsigned short, __vminu2, <=)

#undef SIM_HALVES_COMPARED
#undef SIM_COMPARED
