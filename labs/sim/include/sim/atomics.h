/* Atomic functions: each returns the old value. Relaxed, as on the device. */
#pragma once

/* Always inlined, so that an access is reported at the line of the program. */
#define SIM_ATOMIC_INLINE static inline __attribute__((always_inline))

/* Repeats `*address = next(*address)` until no other thread has changed it in between. */
/* Its load is a part of the atomic function: only a relaxed one is counted as a load. */
template <class T, class F> SIM_ATOMIC_INLINE T sim_atomic_update(T *address, F next) {
    T old, wanted;
    __atomic_load(address, &old, __ATOMIC_SEQ_CST);
    do {
        wanted = next(old);
    } while (!__atomic_compare_exchange(address, &old, &wanted, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    return old;
}

/* `same`: it changes nothing, and so may ask until another thread does. */
#define SIM_ATOMIC(name, builtin, T, same)                                                         \
    SIM_ATOMIC_INLINE T name(T *address, T value) {                                                \
        T old = builtin(address, value, __ATOMIC_RELAXED);                                         \
        if (same) {                                                                                \
            sim_spin();                                                                            \
        }                                                                                          \
        return old;                                                                                \
    }
#define SIM_ATOMIC_LOGIC(name, builtin, same)                                                      \
    SIM_ATOMIC(name, builtin, int, same)                                                           \
    SIM_ATOMIC(name, builtin, unsigned, same)                                                      \
    SIM_ATOMIC(name, builtin, unsigned long long, same)

/* A thread that takes a lock repeats this until it gets another value than it writes. */
#define SIM_ATOMIC_EXCHANGE(T)                                                                     \
    SIM_ATOMIC_INLINE T atomicExch(T *address, T value) {                                          \
        T old = __atomic_exchange_n(address, value, __ATOMIC_RELAXED);                             \
        if (old == value) {                                                                        \
            sim_spin();                                                                            \
        }                                                                                          \
        return old;                                                                                \
    }
SIM_ATOMIC_EXCHANGE(int)
SIM_ATOMIC_EXCHANGE(unsigned)
SIM_ATOMIC_EXCHANGE(unsigned long long)
#undef SIM_ATOMIC_EXCHANGE

/* Does it only ask? A constant says so; a test of others would be one more of the kernel's own. */
#define SIM_ADDS_ZERO __builtin_constant_p(value) && value == 0

SIM_ATOMIC_LOGIC(atomicAdd, __atomic_fetch_add, SIM_ADDS_ZERO)
SIM_ATOMIC_LOGIC(atomicAnd, __atomic_fetch_and, (old & value) == old)
SIM_ATOMIC_LOGIC(atomicOr, __atomic_fetch_or, (old | value) == old)
SIM_ATOMIC_LOGIC(atomicXor, __atomic_fetch_xor, SIM_ADDS_ZERO)
SIM_ATOMIC(atomicSub, __atomic_fetch_sub, int, SIM_ADDS_ZERO)
SIM_ATOMIC(atomicSub, __atomic_fetch_sub, unsigned, SIM_ADDS_ZERO)

#undef SIM_ADDS_ZERO
#undef SIM_ATOMIC_LOGIC
#undef SIM_ATOMIC

SIM_ATOMIC_INLINE float atomicAdd(float *address, float value) {
    return sim_atomic_update(address, [=](float old) { return old + value; });
}
SIM_ATOMIC_INLINE double atomicAdd(double *address, double value) {
    return sim_atomic_update(address, [=](double old) { return old + value; });
}
/* Each element by itself. */
SIM_ATOMIC_INLINE float2 atomicAdd(float2 *address, float2 value) {
    float x = atomicAdd(&address->x, value.x), y = atomicAdd(&address->y, value.y);
    return float2{x, y};
}
SIM_ATOMIC_INLINE float4 atomicAdd(float4 *address, float4 value) {
    float x = atomicAdd(&address->x, value.x), y = atomicAdd(&address->y, value.y);
    float z = atomicAdd(&address->z, value.z), w = atomicAdd(&address->w, value.w);
    return float4{x, y, z, w};
}
SIM_ATOMIC_INLINE float atomicExch(float *address, float value) {
    return sim_atomic_update(address, [=](float) { return value; });
}

#define SIM_ATOMIC_ORDER(T)                                                                        \
    SIM_ATOMIC_INLINE T atomicMin(T *address, T value) {                                           \
        return sim_atomic_update(address, [=](T old) { return value < old ? value : old; });       \
    }                                                                                              \
    SIM_ATOMIC_INLINE T atomicMax(T *address, T value) {                                           \
        return sim_atomic_update(address, [=](T old) { return old < value ? value : old; });       \
    }

SIM_ATOMIC_ORDER(int)
SIM_ATOMIC_ORDER(unsigned)
SIM_ATOMIC_ORDER(long long)
SIM_ATOMIC_ORDER(unsigned long long)

#undef SIM_ATOMIC_ORDER

/* Counts 0, 1, ... last, 0, ...; and back. */
SIM_ATOMIC_INLINE unsigned atomicInc(unsigned *address, unsigned last) {
    return sim_atomic_update(address, [=](unsigned old) { return old >= last ? 0 : old + 1; });
}
SIM_ATOMIC_INLINE unsigned atomicDec(unsigned *address, unsigned last) {
    return sim_atomic_update(address,
                             [=](unsigned old) { return old == 0 || old > last ? last : old - 1; });
}

#define SIM_ATOMIC_CAS(T)                                                                          \
    SIM_ATOMIC_INLINE T atomicCAS(T *address, T compare, T value) {                                \
        if (!__atomic_compare_exchange(address, &compare, &value, false, __ATOMIC_RELAXED,         \
                                       __ATOMIC_RELAXED)) {                                        \
            sim_spin(); /* it may wait for a lock */                                               \
        }                                                                                          \
        return compare;                                                                            \
    }

SIM_ATOMIC_CAS(unsigned short)
SIM_ATOMIC_CAS(int)
SIM_ATOMIC_CAS(unsigned)
SIM_ATOMIC_CAS(unsigned long long)

#undef SIM_ATOMIC_CAS

/* Any type of 16 bytes that is aligned to them. */
template <class T> using sim_atomic_16 = typename std::enable_if<sizeof(T) == 16, T>::type;

template <class T> SIM_ATOMIC_INLINE sim_atomic_16<T> atomicCAS(T *address, T compare, T value) {
    static_assert(alignof(T) >= 16, "atomicCAS() of 16 bytes needs a type aligned to 16 bytes");
    T old = compare;
    sim_atomic_compare_16(address, &old, &value);
    return old;
}
template <class T> SIM_ATOMIC_INLINE sim_atomic_16<T> atomicExch(T *address, T value) {
    static_assert(alignof(T) >= 16, "atomicExch() of 16 bytes needs a type aligned to 16 bytes");
    T old = value;
    while (!sim_atomic_compare_16(address, &old, &value)) {
    }
    return old;
}

/* While there is one, a traced program knows that atomic functions have the scope of the block. */
struct sim_scope_of_block {
#ifdef __SANITIZE_THREAD__
    inline __attribute__((always_inline)) sim_scope_of_block() { sim_atomics_of_block(1); }
    inline __attribute__((always_inline)) ~sim_scope_of_block() { sim_atomics_of_block(0); }
#endif
};

/* The forms that are atomic for one block, or for the whole system. */
#define SIM_ATOMIC_SCOPES(name)                                                                    \
    template <class... A> SIM_ATOMIC_INLINE auto name##_block(A... a) -> decltype(name(a...)) {    \
        [[maybe_unused]] sim_scope_of_block scope;                                                 \
        return name(a...);                                                                         \
    }                                                                                              \
    template <class... A> SIM_ATOMIC_INLINE auto name##_system(A... a) -> decltype(name(a...)) {   \
        return name(a...);                                                                         \
    }

SIM_ATOMIC_SCOPES(atomicAdd)
SIM_ATOMIC_SCOPES(atomicSub)
SIM_ATOMIC_SCOPES(atomicExch)
SIM_ATOMIC_SCOPES(atomicMin)
SIM_ATOMIC_SCOPES(atomicMax)
SIM_ATOMIC_SCOPES(atomicInc)
SIM_ATOMIC_SCOPES(atomicDec)
SIM_ATOMIC_SCOPES(atomicAnd)
SIM_ATOMIC_SCOPES(atomicOr)
SIM_ATOMIC_SCOPES(atomicXor)
SIM_ATOMIC_SCOPES(atomicCAS)

#undef SIM_ATOMIC_SCOPES
