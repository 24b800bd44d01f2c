/* CUDA 12.8's atomic functions with an order and a scope. */
#pragma once

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

SIM_ATOMIC_INLINE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    if (order == __NV_ATOMIC_RELAXED) {
        return;
    }
    if (scope <= __NV_THREAD_SCOPE_BLOCK) {
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
    } else {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
}

/* An atomic function of such an order is a relaxed one between these two. */
SIM_ATOMIC_INLINE void sim_release(int order, int scope) {
    if (order >= __NV_ATOMIC_RELEASE) {
        __nv_atomic_thread_fence(order, scope);
    }
}
SIM_ATOMIC_INLINE void sim_acquire(int order, int scope) {
    if (order != __NV_ATOMIC_RELEASE) {
        __nv_atomic_thread_fence(order, scope);
    }
}

/* The type of a value at T *, as the other arguments are converted to it. */
template <class T> using sim_at = typename std::remove_cv<T>::type;
#define SIM_SCOPE int scope = __NV_THREAD_SCOPE_SYSTEM

#define SIM_ATOMIC_SCOPED(name, next)                                                              \
    template <class T>                                                                             \
    SIM_ATOMIC_INLINE sim_at<T> __nv_atomic_fetch_##name(T *at, sim_at<T> value, int order,        \
                                                         SIM_SCOPE) {                              \
        sim_release(order, scope);                                                                 \
        sim_at<T> was =                                                                            \
            sim_atomic_update(const_cast<sim_at<T> *>(at), [=](sim_at<T> old) { return next; });   \
        sim_acquire(order, scope);                                                                 \
        return was;                                                                                \
    }                                                                                              \
    template <class T>                                                                             \
    SIM_ATOMIC_INLINE void __nv_atomic_##name(T *at, sim_at<T> value, int order, SIM_SCOPE) {      \
        __nv_atomic_fetch_##name(at, value, order, scope);                                         \
    }

SIM_ATOMIC_SCOPED(add, (sim_at<T>)(old + value))
SIM_ATOMIC_SCOPED(sub, (sim_at<T>)(old - value))
SIM_ATOMIC_SCOPED(and, (sim_at<T>)(old & value))
SIM_ATOMIC_SCOPED(or, (sim_at<T>)(old | value))
SIM_ATOMIC_SCOPED(xor, (sim_at<T>)(old ^ value))
SIM_ATOMIC_SCOPED(min, value < old ? value : old)
SIM_ATOMIC_SCOPED(max, old < value ? value : old)

#undef SIM_ATOMIC_SCOPED

template <class T>
SIM_ATOMIC_INLINE bool __nv_atomic_compare_exchange_n(T *at, sim_at<T> *expected, sim_at<T> desired,
                                                      bool, int success, int failure, SIM_SCOPE) {
    int order = success > failure ? success : failure;
    bool done;
    sim_release(order, scope);
    if constexpr (sizeof(T) == 16) {
        done = sim_atomic_compare_16((void *)at, (void *)expected, &desired);
    } else {
        done = __atomic_compare_exchange(const_cast<sim_at<T> *>(at), expected, &desired, false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    if (!done) {
        sim_spin();
    }
    sim_acquire(order, scope);
    return done;
}
template <class T>
SIM_ATOMIC_INLINE bool __nv_atomic_compare_exchange(T *at, sim_at<T> *expected, sim_at<T> *desired,
                                                    bool weak, int success, int failure,
                                                    SIM_SCOPE) {
    return __nv_atomic_compare_exchange_n(at, expected, *desired, weak, success, failure, scope);
}

template <class T>
SIM_ATOMIC_INLINE sim_at<T> __nv_atomic_exchange_n(T *at, sim_at<T> value, int order, SIM_SCOPE) {
    sim_at<T> old = value;
    sim_release(order, scope);
    if constexpr (sizeof(T) == 16) {
        while (!sim_atomic_compare_16((void *)at, &old, &value)) {
        }
    } else {
        __atomic_exchange(const_cast<sim_at<T> *>(at), &value, &old, __ATOMIC_RELAXED);
        if (__builtin_memcmp(&old, &value, sizeof old) == 0) {
            sim_spin(); /* it may wait for a lock */
        }
    }
    sim_acquire(order, scope);
    return old;
}
template <class T>
SIM_ATOMIC_INLINE void __nv_atomic_exchange(T *at, sim_at<T> *value, sim_at<T> *old, int order,
                                            SIM_SCOPE) {
    *old = __nv_atomic_exchange_n(at, *value, order, scope);
}

/* A thread that waits for another one repeats this. */
template <class T> SIM_ATOMIC_INLINE sim_at<T> __nv_atomic_load_n(T *at, int order, SIM_SCOPE) {
    sim_at<T> value{};
    if constexpr (sizeof(T) == 16) {
        __atomic_load_n((unsigned long long *)at, __ATOMIC_RELAXED); /* counted as loads */
        __atomic_load_n((unsigned long long *)at + 1, __ATOMIC_RELAXED);
        sim_atomic_compare_16((void *)at, &value, &value);
    } else {
        __atomic_load(const_cast<sim_at<T> *>(at), &value, __ATOMIC_RELAXED);
    }
    sim_spin();
    sim_acquire(order, scope);
    return value;
}
template <class T>
SIM_ATOMIC_INLINE void __nv_atomic_load(T *at, sim_at<T> *value, int order, SIM_SCOPE) {
    *value = __nv_atomic_load_n(at, order, scope);
}

template <class T>
SIM_ATOMIC_INLINE void __nv_atomic_store_n(T *at, sim_at<T> value, int order, SIM_SCOPE) {
    sim_release(order, scope);
    if constexpr (sizeof(T) == 16) {
        __nv_atomic_exchange_n(at, value, __NV_ATOMIC_RELAXED, scope);
    } else {
        __atomic_store(const_cast<sim_at<T> *>(at), &value, __ATOMIC_RELAXED);
    }
}
template <class T>
SIM_ATOMIC_INLINE void __nv_atomic_store(T *at, sim_at<T> *value, int order, SIM_SCOPE) {
    __nv_atomic_store_n(at, *value, order, scope);
}

#undef SIM_SCOPE
