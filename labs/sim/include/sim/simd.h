/* CUDA's SIMD instructions: two halfwords or four bytes of one word, computed each by itself. */
#ifndef SIM_SIMD_H
#define SIM_SIMD_H

#include "sim/rounding.h"

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
static inline int sim_distance(int a, int b) {
    return a > b ? a - b : b - a;
}
static inline int sim_smaller(int a, int b) {
    return a < b ? a : b;
}
static inline int sim_larger(int a, int b) {
    return a > b ? a : b;
}

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

/* ---- halfwords */

SIM_ONE_PART(__vabs2, short, a < 0 ? -a : a)
SIM_ONE_PART(__vabsss2, short, sim_clamped<short>(a < 0 ? -a : a))
SIM_ONE_PART(__vneg2, short, -a)
SIM_ONE_PART(__vnegss2, short, sim_clamped<short>(-a))
SIM_TWO_PARTS(__vadd2, unsigned short, a + b)
SIM_TWO_PARTS(__vaddss2, short, sim_clamped<short>(a + b))
SIM_TWO_PARTS(__vaddus2, unsigned short, sim_clamped<unsigned short>(a + b))
SIM_TWO_PARTS(__vsub2, unsigned short, a - b)
SIM_TWO_PARTS(__vsubss2, short, sim_clamped<short>(a - b))
SIM_TWO_PARTS(__vsubus2, unsigned short, sim_clamped<unsigned short>(a - b))
/* The mean, rounded away from zero; rounded up; rounded down. */
SIM_TWO_PARTS(__vavgs2, short, (a + b + (a + b >= 0)) >> 1)
SIM_TWO_PARTS(__vavgu2, unsigned short, (a + b + 1) >> 1)
SIM_TWO_PARTS(__vhaddu2, unsigned short, (a + b) >> 1)
SIM_TWO_PARTS(__vabsdiffs2, short, sim_distance(a, b))
SIM_TWO_PARTS(__vabsdiffu2, unsigned short, sim_distance(a, b))
SIM_TWO_PARTS(__vmaxs2, short, sim_larger(a, b))
SIM_TWO_PARTS(__vmaxu2, unsigned short, sim_larger(a, b))
SIM_TWO_PARTS(__vmins2, short, sim_smaller(a, b))
SIM_TWO_PARTS(__vminu2, unsigned short, sim_smaller(a, b))
SIM_SUM_OF_PARTS(__vsads2, short)
SIM_SUM_OF_PARTS(__vsadu2, unsigned short)
/* All bits of a part where it holds; 1 where it holds. */
SIM_TWO_PARTS(__vcmpeq2, unsigned short, -(a == b))
SIM_TWO_PARTS(__vcmpne2, unsigned short, -(a != b))
SIM_TWO_PARTS(__vcmpges2, short, -(a >= b))
SIM_TWO_PARTS(__vcmpgeu2, unsigned short, -(a >= b))
SIM_TWO_PARTS(__vcmpgts2, short, -(a > b))
SIM_TWO_PARTS(__vcmpgtu2, unsigned short, -(a > b))
SIM_TWO_PARTS(__vcmples2, short, -(a <= b))
SIM_TWO_PARTS(__vcmpleu2, unsigned short, -(a <= b))
SIM_TWO_PARTS(__vcmplts2, short, -(a < b))
SIM_TWO_PARTS(__vcmpltu2, unsigned short, -(a < b))
SIM_TWO_PARTS(__vseteq2, unsigned short, a == b)
SIM_TWO_PARTS(__vsetne2, unsigned short, a != b)
SIM_TWO_PARTS(__vsetges2, short, a >= b)
SIM_TWO_PARTS(__vsetgeu2, unsigned short, a >= b)
SIM_TWO_PARTS(__vsetgts2, short, a > b)
SIM_TWO_PARTS(__vsetgtu2, unsigned short, a > b)
SIM_TWO_PARTS(__vsetles2, short, a <= b)
SIM_TWO_PARTS(__vsetleu2, unsigned short, a <= b)
SIM_TWO_PARTS(__vsetlts2, short, a < b)
SIM_TWO_PARTS(__vsetltu2, unsigned short, a < b)

/* ---- bytes */

SIM_ONE_PART(__vabs4, signed char, a < 0 ? -a : a)
SIM_ONE_PART(__vabsss4, signed char, sim_clamped<signed char>(a < 0 ? -a : a))
SIM_ONE_PART(__vneg4, signed char, -a)
SIM_ONE_PART(__vnegss4, signed char, sim_clamped<signed char>(-a))
SIM_TWO_PARTS(__vadd4, unsigned char, a + b)
SIM_TWO_PARTS(__vaddss4, signed char, sim_clamped<signed char>(a + b))
SIM_TWO_PARTS(__vaddus4, unsigned char, sim_clamped<unsigned char>(a + b))
SIM_TWO_PARTS(__vsub4, unsigned char, a - b)
SIM_TWO_PARTS(__vsubss4, signed char, sim_clamped<signed char>(a - b))
SIM_TWO_PARTS(__vsubus4, unsigned char, sim_clamped<unsigned char>(a - b))
/* The mean, rounded away from zero; rounded up; rounded down. */
SIM_TWO_PARTS(__vavgs4, signed char, (a + b + (a + b >= 0)) >> 1)
SIM_TWO_PARTS(__vavgu4, unsigned char, (a + b + 1) >> 1)
SIM_TWO_PARTS(__vhaddu4, unsigned char, (a + b) >> 1)
SIM_TWO_PARTS(__vabsdiffs4, signed char, sim_distance(a, b))
SIM_TWO_PARTS(__vabsdiffu4, unsigned char, sim_distance(a, b))
SIM_TWO_PARTS(__vmaxs4, signed char, sim_larger(a, b))
SIM_TWO_PARTS(__vmaxu4, unsigned char, sim_larger(a, b))
SIM_TWO_PARTS(__vmins4, signed char, sim_smaller(a, b))
SIM_TWO_PARTS(__vminu4, unsigned char, sim_smaller(a, b))
SIM_SUM_OF_PARTS(__vsads4, signed char)
SIM_SUM_OF_PARTS(__vsadu4, unsigned char)
/* All bits of a part where it holds; 1 where it holds. */
SIM_TWO_PARTS(__vcmpeq4, unsigned char, -(a == b))
SIM_TWO_PARTS(__vcmpne4, unsigned char, -(a != b))
SIM_TWO_PARTS(__vcmpges4, signed char, -(a >= b))
SIM_TWO_PARTS(__vcmpgeu4, unsigned char, -(a >= b))
SIM_TWO_PARTS(__vcmpgts4, signed char, -(a > b))
SIM_TWO_PARTS(__vcmpgtu4, unsigned char, -(a > b))
SIM_TWO_PARTS(__vcmples4, signed char, -(a <= b))
SIM_TWO_PARTS(__vcmpleu4, unsigned char, -(a <= b))
SIM_TWO_PARTS(__vcmplts4, signed char, -(a < b))
SIM_TWO_PARTS(__vcmpltu4, unsigned char, -(a < b))
SIM_TWO_PARTS(__vseteq4, unsigned char, a == b)
SIM_TWO_PARTS(__vsetne4, unsigned char, a != b)
SIM_TWO_PARTS(__vsetges4, signed char, a >= b)
SIM_TWO_PARTS(__vsetgeu4, unsigned char, a >= b)
SIM_TWO_PARTS(__vsetgts4, signed char, a > b)
SIM_TWO_PARTS(__vsetgtu4, unsigned char, a > b)
SIM_TWO_PARTS(__vsetles4, signed char, a <= b)
SIM_TWO_PARTS(__vsetleu4, unsigned char, a <= b)
SIM_TWO_PARTS(__vsetlts4, signed char, a < b)
SIM_TWO_PARTS(__vsetltu4, unsigned char, a < b)

#undef SIM_SUM_OF_PARTS
#undef SIM_TWO_PARTS
#undef SIM_ONE_PART

/* ---- the largest or smallest of three, of a sum and a number, of two with a comparison; `relu`:
 * and of 0. Sums wrap. */

#define SIM_WORDS(name, T, arguments, result)                                                      \
    SIM_PURE T name arguments {                                                                    \
        return result;                                                                             \
    }
#define SIM_HALFWORDS(name, T, result)                                                             \
    SIM_PURE unsigned name(unsigned x, unsigned y, unsigned z) {                                   \
        return sim_parts<T>(x, y, z, [](int a, int b, int c) { return result; });                  \
    }
#define SIM_HALFWORDS_RELU(name, result)                                                           \
    SIM_PURE unsigned name(unsigned x, unsigned y) {                                               \
        return sim_parts<short>(x, y, [](int a, int b) { return sim_larger(result, 0); });         \
    }

static inline int sim_wrapped_sum(int a, int b) {
    return (int)((unsigned)a + (unsigned)b);
}
static inline unsigned sim_smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}
static inline unsigned sim_larger(unsigned a, unsigned b) {
    return a > b ? a : b;
}

SIM_WORDS(__vimax3_s32, int, (int a, int b, int c), sim_larger(sim_larger(a, b), c))
SIM_WORDS(__vimax3_u32, unsigned, (unsigned a, unsigned b, unsigned c),
          sim_larger(sim_larger(a, b), c))
SIM_WORDS(__vimax3_s32_relu, int, (int a, int b, int c),
          sim_larger(sim_larger(sim_larger(a, b), c), 0))
SIM_WORDS(__vimax_s32_relu, int, (int a, int b), sim_larger(sim_larger(a, b), 0))
SIM_WORDS(__viaddmax_s32, int, (int a, int b, int c), sim_larger(sim_wrapped_sum(a, b), c))
SIM_WORDS(__viaddmax_u32, unsigned, (unsigned a, unsigned b, unsigned c), sim_larger(a + b, c))
SIM_WORDS(__viaddmax_s32_relu, int, (int a, int b, int c),
          sim_larger(sim_larger(sim_wrapped_sum(a, b), c), 0))
SIM_HALFWORDS(__vimax3_s16x2, short, sim_larger(sim_larger(a, b), c))
SIM_HALFWORDS(__vimax3_u16x2, unsigned short, sim_larger(sim_larger(a, b), c))
SIM_HALFWORDS(__vimax3_s16x2_relu, short, sim_larger(sim_larger(sim_larger(a, b), c), 0))
SIM_HALFWORDS_RELU(__vimax_s16x2_relu, sim_larger(a, b))
SIM_HALFWORDS(__viaddmax_s16x2, short, sim_larger((int)(short)(a + b), c))
SIM_HALFWORDS(__viaddmax_u16x2, unsigned short, sim_larger((int)(unsigned short)(a + b), c))
SIM_HALFWORDS(__viaddmax_s16x2_relu, short, sim_larger(sim_larger((int)(short)(a + b), c), 0))
SIM_WORDS(__vimin3_s32, int, (int a, int b, int c), sim_smaller(sim_smaller(a, b), c))
SIM_WORDS(__vimin3_u32, unsigned, (unsigned a, unsigned b, unsigned c),
          sim_smaller(sim_smaller(a, b), c))
SIM_WORDS(__vimin3_s32_relu, int, (int a, int b, int c),
          sim_larger(sim_smaller(sim_smaller(a, b), c), 0))
SIM_WORDS(__vimin_s32_relu, int, (int a, int b), sim_larger(sim_smaller(a, b), 0))
SIM_WORDS(__viaddmin_s32, int, (int a, int b, int c), sim_smaller(sim_wrapped_sum(a, b), c))
SIM_WORDS(__viaddmin_u32, unsigned, (unsigned a, unsigned b, unsigned c), sim_smaller(a + b, c))
SIM_WORDS(__viaddmin_s32_relu, int, (int a, int b, int c),
          sim_larger(sim_smaller(sim_wrapped_sum(a, b), c), 0))
SIM_HALFWORDS(__vimin3_s16x2, short, sim_smaller(sim_smaller(a, b), c))
SIM_HALFWORDS(__vimin3_u16x2, unsigned short, sim_smaller(sim_smaller(a, b), c))
SIM_HALFWORDS(__vimin3_s16x2_relu, short, sim_larger(sim_smaller(sim_smaller(a, b), c), 0))
SIM_HALFWORDS_RELU(__vimin_s16x2_relu, sim_smaller(a, b))
SIM_HALFWORDS(__viaddmin_s16x2, short, sim_smaller((int)(short)(a + b), c))
SIM_HALFWORDS(__viaddmin_u16x2, unsigned short, sim_smaller((int)(unsigned short)(a + b), c))
SIM_HALFWORDS(__viaddmin_s16x2_relu, short, sim_larger(sim_smaller((int)(short)(a + b), c), 0))

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

#endif
