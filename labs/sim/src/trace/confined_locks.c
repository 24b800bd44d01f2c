/* Locks of POSIX and of OpenMP in a traced program (confined_calls.symbols): these functions write
 * to the lock that they are given. */
#include "trace/confined_call.h"
#include "trace/recorder.h"

#include <omp.h>
#include <pthread.h>

#define CONFINED_LOCK(type, name)                                                                  \
    CONFINED(int, pthread_##name, pthread_##type *lock) {                                          \
        record_library(lock, sizeof *lock, true, CALLER);                                          \
        return pthread_##name(lock);                                                               \
    }
CONFINED_LOCK(mutex_t, mutex_lock)
CONFINED_LOCK(mutex_t, mutex_trylock)
CONFINED_LOCK(mutex_t, mutex_unlock)
CONFINED_LOCK(mutex_t, mutex_destroy)
CONFINED_LOCK(cond_t, cond_signal)
CONFINED_LOCK(cond_t, cond_broadcast)
CONFINED_LOCK(cond_t, cond_destroy)
CONFINED_LOCK(rwlock_t, rwlock_rdlock)
CONFINED_LOCK(rwlock_t, rwlock_wrlock)
CONFINED_LOCK(rwlock_t, rwlock_tryrdlock)
CONFINED_LOCK(rwlock_t, rwlock_trywrlock)
CONFINED_LOCK(rwlock_t, rwlock_unlock)
CONFINED_LOCK(rwlock_t, rwlock_destroy)

#define CONFINED_BEGIN(name)                                                                       \
    CONFINED(int, pthread_##name##_init, pthread_##name##_t *lock,                                 \
             const pthread_##name##attr_t *attributes) {                                           \
        record_library(lock, sizeof *lock, true, CALLER);                                          \
        return pthread_##name##_init(lock, attributes);                                            \
    }
CONFINED_BEGIN(mutex)
CONFINED_BEGIN(cond)
CONFINED_BEGIN(rwlock)

CONFINED(int, pthread_cond_wait, pthread_cond_t *condition, pthread_mutex_t *lock) {
    record_library(condition, sizeof *condition, true, CALLER);
    record_library(lock, sizeof *lock, true, CALLER);
    return pthread_cond_wait(condition, lock);
}

#define CONFINED_OMP(type, name)                                                                   \
    CONFINED(void, omp_##name, omp_##type *lock) {                                                 \
        record_library(lock, sizeof *lock, true, CALLER);                                          \
        omp_##name(lock);                                                                          \
    }
CONFINED_OMP(lock_t, init_lock)
CONFINED_OMP(lock_t, destroy_lock)
CONFINED_OMP(lock_t, set_lock)
CONFINED_OMP(lock_t, unset_lock)
CONFINED_OMP(nest_lock_t, init_nest_lock)
CONFINED_OMP(nest_lock_t, destroy_nest_lock)
CONFINED_OMP(nest_lock_t, set_nest_lock)
CONFINED_OMP(nest_lock_t, unset_nest_lock)

CONFINED(int, omp_test_lock, omp_lock_t *lock) {
    record_library(lock, sizeof *lock, true, CALLER);
    return omp_test_lock(lock);
}

CONFINED(int, omp_test_nest_lock, omp_nest_lock_t *lock) {
    record_library(lock, sizeof *lock, true, CALLER);
    return omp_test_nest_lock(lock);
}
