/* Arithmetic that CUDA adds to C. The fast forms (such as __expf) are the accurate C functions
 * here: a GPU may be less accurate, not more. */
#ifndef SIM_MATH_H
#define SIM_MATH_H

template <class T> static inline T __ldg(const T *address) {
    return *address;
}
template <class T> static inline T __ldcg(const T *address) {
    return *address;
}
template <class T> static inline T __ldcs(const T *address) {
    return *address;
}

/* ---- one rounding, never contracted: the compiler may fuse a*b+c, but not through this */

static inline float sim_rounded(float x) {
#ifdef __x86_64__
    __asm__("" : "+x"(x));
#else
    __asm__("" : "+w"(x));
#endif
    return x;
}
static inline double sim_rounded(double x) {
#ifdef __x86_64__
    __asm__("" : "+x"(x));
#else
    __asm__("" : "+w"(x));
#endif
    return x;
}

static inline float __fadd_rn(float a, float b) {
    return sim_rounded(sim_rounded(a) + sim_rounded(b));
}
static inline float __fsub_rn(float a, float b) {
    return sim_rounded(sim_rounded(a) - sim_rounded(b));
}
static inline float __fmul_rn(float a, float b) {
    return sim_rounded(a * b);
}
static inline float __fdiv_rn(float a, float b) {
    return a / b;
}
static inline float __frcp_rn(float a) {
    return 1.0f / a;
}
static inline float __fsqrt_rn(float a) {
    return __builtin_sqrtf(a);
}
static inline float __fmaf_rn(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
static inline double __dadd_rn(double a, double b) {
    return sim_rounded(sim_rounded(a) + sim_rounded(b));
}
static inline double __dsub_rn(double a, double b) {
    return sim_rounded(sim_rounded(a) - sim_rounded(b));
}
static inline double __dmul_rn(double a, double b) {
    return sim_rounded(a * b);
}
static inline double __ddiv_rn(double a, double b) {
    return a / b;
}
static inline double __dsqrt_rn(double a) {
    return __builtin_sqrt(a);
}
static inline double __fma_rn(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

/* ---- min and max of every pair that CUDA takes, in the type that C would compare them in */

#define SIM_ORDER(A, B, R)                                                                         \
    static inline R min(A a, B b) {                                                                \
        return (R)a < (R)b ? (R)a : (R)b;                                                          \
    }                                                                                              \
    static inline R max(A a, B b) {                                                                \
        return (R)a > (R)b ? (R)a : (R)b;                                                          \
    }
#define SIM_ORDER_INTEGERS(T)                                                                      \
    SIM_ORDER(T, T, T)                                                                             \
    SIM_ORDER(unsigned T, unsigned T, unsigned T)                                                  \
    SIM_ORDER(T, unsigned T, unsigned T)                                                           \
    SIM_ORDER(unsigned T, T, unsigned T)

SIM_ORDER_INTEGERS(int)
SIM_ORDER_INTEGERS(long)
SIM_ORDER_INTEGERS(long long)

#undef SIM_ORDER_INTEGERS
#undef SIM_ORDER

static inline float min(float a, float b) {
    return __builtin_fminf(a, b);
}
static inline float max(float a, float b) {
    return __builtin_fmaxf(a, b);
}
#define SIM_ORDER_REAL(A, B)                                                                       \
    static inline double min(A a, B b) {                                                           \
        return __builtin_fmin(a, b);                                                               \
    }                                                                                              \
    static inline double max(A a, B b) {                                                           \
        return __builtin_fmax(a, b);                                                               \
    }

SIM_ORDER_REAL(double, double)
SIM_ORDER_REAL(float, double)
SIM_ORDER_REAL(double, float)

#undef SIM_ORDER_REAL

/* Is the C library glibc 2.`minor` or later? It has taken up some of CUDA's names. */
#ifdef __GLIBC_PREREQ
#define SIM_GLIBC(minor) __GLIBC_PREREQ(2, minor)
#else
#define SIM_GLIBC(minor) 0
#endif

#if !SIM_GLIBC(42)
static inline float rsqrtf(float x) {
    return 1.0f / __builtin_sqrtf(x);
}
static inline double rsqrt(double x) {
    return 1.0 / __builtin_sqrt(x);
}
#endif
static inline float rsqrt(float x) {
    return rsqrtf(x);
}
static inline float __frsqrt_rn(float x) {
    return (float)(1.0 / __builtin_sqrt((double)x));
}
static inline float __saturatef(float x) {
    return x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; /* NaN gives 0, as on the device */
}
static inline float __fdividef(float a, float b) {
    return a / b;
}
/* glibc has functions of these names, which do nothing else. */
#define __expf(x) __builtin_expf(x)
#define __exp10f(x) __builtin_powf(10.0f, x)
#define __logf(x) __builtin_logf(x)
#define __log2f(x) __builtin_log2f(x)
#define __log10f(x) __builtin_log10f(x)
#define __powf(x, y) __builtin_powf(x, y)
#define __sinf(x) __builtin_sinf(x)
#define __cosf(x) __builtin_cosf(x)
#define __tanf(x) __builtin_tanf(x)
#define __sincosf(x, sine, cosine) __builtin_sincosf(x, sine, cosine)

/* ---- integers */

static inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
static inline int __clz(int x) {
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x) {
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __ffs(int x) {
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
static inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline int sim_low_24(int x) {
    return (int)((unsigned)x << 8) >> 8;
}
static inline int __mul24(int a, int b) {
    return (int)(unsigned)((long long)sim_low_24(a) * sim_low_24(b));
}
static inline unsigned __umul24(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)(a & 0xffffffu) * (b & 0xffffffu));
}
static inline int __mulhi(int a, int b) {
    return (int)((long long)a * b >> 32);
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}

/* ---- conversions: out of range gives the nearest value, NaN gives 0 */

static inline int sim_to_int(double x) {
    if (x != x) {
        return 0;
    }
    return x >= 2147483647.0 ? 2147483647 : x <= -2147483648.0 ? -2147483647 - 1 : (int)x;
}
static inline unsigned sim_to_unsigned(double x) {
    return x >= 4294967295.0 ? 4294967295u : x > 0.0 ? (unsigned)x : 0u;
}

#define SIM_CONVERSION(name, From, To, convert, round)                                             \
    static inline To name(From x) {                                                                \
        return convert(round((double)x));                                                          \
    }

SIM_CONVERSION(__float2int_rn, float, int, sim_to_int, __builtin_rint)
SIM_CONVERSION(__float2int_rz, float, int, sim_to_int, __builtin_trunc)
SIM_CONVERSION(__float2int_rd, float, int, sim_to_int, __builtin_floor)
SIM_CONVERSION(__float2int_ru, float, int, sim_to_int, __builtin_ceil)
SIM_CONVERSION(__float2uint_rn, float, unsigned, sim_to_unsigned, __builtin_rint)
SIM_CONVERSION(__float2uint_rz, float, unsigned, sim_to_unsigned, __builtin_trunc)
SIM_CONVERSION(__float2uint_rd, float, unsigned, sim_to_unsigned, __builtin_floor)
SIM_CONVERSION(__float2uint_ru, float, unsigned, sim_to_unsigned, __builtin_ceil)
SIM_CONVERSION(__double2int_rn, double, int, sim_to_int, __builtin_rint)
SIM_CONVERSION(__double2int_rz, double, int, sim_to_int, __builtin_trunc)
SIM_CONVERSION(__double2int_rd, double, int, sim_to_int, __builtin_floor)
SIM_CONVERSION(__double2int_ru, double, int, sim_to_int, __builtin_ceil)
SIM_CONVERSION(__double2uint_rn, double, unsigned, sim_to_unsigned, __builtin_rint)
SIM_CONVERSION(__double2uint_rz, double, unsigned, sim_to_unsigned, __builtin_trunc)
SIM_CONVERSION(__double2uint_rd, double, unsigned, sim_to_unsigned, __builtin_floor)
SIM_CONVERSION(__double2uint_ru, double, unsigned, sim_to_unsigned, __builtin_ceil)

#undef SIM_CONVERSION

static inline float __int2float_rn(int x) {
    return (float)x;
}
static inline float __uint2float_rn(unsigned x) {
    return (float)x;
}
static inline double __int2double_rn(int x) {
    return x;
}
static inline float __double2float_rn(double x) {
    return (float)x;
}

#define SIM_SAME_BITS(name, From, To)                                                              \
    static inline To name(From x) {                                                                \
        To y;                                                                                      \
        __builtin_memcpy(&y, &x, sizeof y);                                                        \
        return y;                                                                                  \
    }

SIM_SAME_BITS(__float_as_int, float, int)
SIM_SAME_BITS(__float_as_uint, float, unsigned)
SIM_SAME_BITS(__int_as_float, int, float)
SIM_SAME_BITS(__uint_as_float, unsigned, float)
SIM_SAME_BITS(__double_as_longlong, double, long long)
SIM_SAME_BITS(__longlong_as_double, long long, double)

#undef SIM_SAME_BITS

#endif
