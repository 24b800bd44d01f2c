/* What device code calls: barriers, warp operations, atomics, intrinsics. */
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

extern "C" {
void __syncthreads(void);
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __syncwarp(unsigned mask = 0xffffffffu);
unsigned __activemask(void);
unsigned __ballot_sync(unsigned mask, int predicate);

/* Gives this lane's `value` to the lanes of `mask` and takes that of lane `from` (0..31). */
unsigned long long sim_shuffle(unsigned mask, unsigned long long value, unsigned from);
unsigned sim_lane(void);
void sim_trap(void);
}

static inline int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, !predicate) == 0;
}
static inline int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
static inline void __threadfence(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_block(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_system(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __trap(void) {
    sim_trap();
}

/* ---- shuffles: the lanes of a segment of `width` lanes exchange values of 4 or 8 bytes */

template <class T> static inline T sim_exchange(unsigned mask, T value, unsigned from) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle takes values of 4 or 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = sim_shuffle(mask, bits, from);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}
template <class T> static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
    unsigned segment = sim_lane() & ~(unsigned)(width - 1);
    return sim_exchange(mask, value, segment | ((unsigned)lane & (unsigned)(width - 1)));
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    unsigned lane = sim_lane(), inside = lane & (unsigned)(width - 1);
    return sim_exchange(mask, value, inside >= delta ? lane - delta : lane);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    unsigned lane = sim_lane(), inside = lane & (unsigned)(width - 1);
    return sim_exchange(mask, value, inside + delta < (unsigned)width ? lane + delta : lane);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int other, int width = 32) {
    unsigned lane = sim_lane(), to = lane ^ (unsigned)other;
    return sim_exchange(mask, value, (to & ~(unsigned)(width - 1)) <= lane ? to : lane);
}

/* ---- atomics: relaxed, as on the device */

#define SIM_ATOMIC(name, builtin, T)                                                               \
    static inline T name(T *address, T value) {                                                    \
        return builtin(address, value, __ATOMIC_RELAXED);                                          \
    }
#define SIM_ATOMIC_INTEGERS(name, builtin)                                                         \
    SIM_ATOMIC(name, builtin, int)                                                                 \
    SIM_ATOMIC(name, builtin, unsigned)                                                            \
    SIM_ATOMIC(name, builtin, unsigned long long)
SIM_ATOMIC_INTEGERS(atomicAdd, __atomic_fetch_add)
SIM_ATOMIC_INTEGERS(atomicSub, __atomic_fetch_sub)
SIM_ATOMIC_INTEGERS(atomicAnd, __atomic_fetch_and)
SIM_ATOMIC_INTEGERS(atomicOr, __atomic_fetch_or)
SIM_ATOMIC_INTEGERS(atomicXor, __atomic_fetch_xor)
SIM_ATOMIC_INTEGERS(atomicExch, __atomic_exchange_n)
#undef SIM_ATOMIC_INTEGERS
#undef SIM_ATOMIC

/* Repeats `*address = next(*address)` until nobody came between. Returns the value before. */
template <class T, class F> static inline T sim_atomic_update(T *address, F next) {
    T old, wanted;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    do {
        wanted = next(old);
    } while (!__atomic_compare_exchange(address, &old, &wanted, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    return old;
}
static inline float atomicAdd(float *address, float value) {
    return sim_atomic_update(address, [=](float old) { return old + value; });
}
static inline double atomicAdd(double *address, double value) {
    return sim_atomic_update(address, [=](double old) { return old + value; });
}
static inline float atomicExch(float *address, float value) {
    return sim_atomic_update(address, [=](float) { return value; });
}
#define SIM_ATOMIC_ORDER(T)                                                                        \
    static inline T atomicMin(T *address, T value) {                                               \
        return sim_atomic_update(address, [=](T old) { return value < old ? value : old; });       \
    }                                                                                              \
    static inline T atomicMax(T *address, T value) {                                               \
        return sim_atomic_update(address, [=](T old) { return old < value ? value : old; });       \
    }
SIM_ATOMIC_ORDER(int)
SIM_ATOMIC_ORDER(unsigned)
SIM_ATOMIC_ORDER(long long)
SIM_ATOMIC_ORDER(unsigned long long)
#undef SIM_ATOMIC_ORDER
static inline unsigned atomicInc(unsigned *address, unsigned last) {
    return sim_atomic_update(address, [=](unsigned old) { return old >= last ? 0 : old + 1; });
}
static inline unsigned atomicDec(unsigned *address, unsigned last) {
    return sim_atomic_update(
        address, [=](unsigned old) { return old == 0 || old > last ? last : old - 1; });
}
template <class T> static inline T atomicCAS(T *address, T compare, T value) {
    __atomic_compare_exchange(address, &compare, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return compare;
}

/* ---- arithmetic */

template <class T> static inline T __ldg(const T *address) {
    return *address;
}

/* Keeps the compiler from contracting a product and a sum that were asked for one by one. */
static inline float sim_rounded(float x) {
    __asm__("" : "+x"(x));
    return x;
}
static inline double sim_rounded(double x) {
    __asm__("" : "+x"(x));
    return x;
}
static inline float __fmaf_rn(float a, float b, float c) {
    return fmaf(a, b, c);
}
static inline float __fmul_rn(float a, float b) {
    return sim_rounded(a * b);
}
static inline float __fadd_rn(float a, float b) {
    return sim_rounded(sim_rounded(a) + b);
}
static inline float __fsub_rn(float a, float b) {
    return sim_rounded(sim_rounded(a) - b);
}
static inline float __fdiv_rn(float a, float b) {
    return a / b;
}
static inline double __fma_rn(double a, double b, double c) {
    return fma(a, b, c);
}
static inline double __dmul_rn(double a, double b) {
    return sim_rounded(a * b);
}
static inline double __dadd_rn(double a, double b) {
    return sim_rounded(sim_rounded(a) + b);
}

#define SIM_ORDER(T, U, R)                                                                         \
    static inline R min(T a, U b) {                                                                \
        return (R)a < (R)b ? (R)a : (R)b;                                                          \
    }                                                                                              \
    static inline R max(T a, U b) {                                                                \
        return (R)a > (R)b ? (R)a : (R)b;                                                          \
    }
SIM_ORDER(int, int, int)
SIM_ORDER(unsigned, unsigned, unsigned)
SIM_ORDER(int, unsigned, unsigned)
SIM_ORDER(unsigned, int, unsigned)
SIM_ORDER(long, long, long)
SIM_ORDER(unsigned long, unsigned long, unsigned long)
SIM_ORDER(long long, long long, long long)
SIM_ORDER(unsigned long long, unsigned long long, unsigned long long)
SIM_ORDER(float, float, float)
SIM_ORDER(double, double, double)
SIM_ORDER(float, double, double)
SIM_ORDER(double, float, double)
#undef SIM_ORDER

static inline float rsqrtf(float x) {
    return 1.0f / sqrtf(x);
}
/* Macros, because the C library has functions of these names. */
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __powf(x, y) powf(x, y)
static inline float __fdividef(float x, float y) {
    return x / y;
}
static inline float __saturatef(float x) {
    return x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f;
}
static inline int __mul24(int a, int b) {
    return (int)(((long long)(a << 8) >> 8) * ((long long)(b << 8) >> 8));
}
static inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
static inline int __clz(int x) {
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __ffs(int x) {
    return __builtin_ffs(x);
}
static inline int __float2int_rn(float x) {
    return (int)rintf(x);
}
static inline int __float2int_rz(float x) {
    return (int)x;
}
static inline int __float2int_rd(float x) {
    return (int)floorf(x);
}
static inline int __float2int_ru(float x) {
    return (int)ceilf(x);
}
static inline float __int2float_rn(int x) {
    return (float)x;
}
static inline int __float_as_int(float x) {
    int bits;
    __builtin_memcpy(&bits, &x, 4);
    return bits;
}
static inline float __int_as_float(int bits) {
    float x;
    __builtin_memcpy(&x, &bits, 4);
    return x;
}

#endif
