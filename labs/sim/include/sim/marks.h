/* The control flow of device functions in a traced program:
 * labs/sim/translate/control_flow/marks.py inserts these marks, and
 * labs/sim/src/exec/lane_position.h says what they mean.
 *
 * A mark is a call that the compiler must make here and in this order, but that neither reads nor
 * writes memory as far as it can know: so accesses are kept in registers across marks, as without
 * them. At a mark of lock step (labs/sim/src/exec/lock_step.h) other lanes may run: accesses stay
 * on their side. Functions in lock step of a traced program have marks of both kinds. */
#pragma once

enum sim_mark_kind {
    SIM_MARK_FUNCTION,
    SIM_MARK_RETURN,
    SIM_MARK_LOOP,
    SIM_MARK_ROUND,
    SIM_MARK_ARM,
    SIM_MARK_END
};

/* The arm of a mark of a loop that nvcc unrolls (translate/loops/unrolled_loops.py): what is
 * left over goes last; its step is a constant; by two and not by four; completely. */
enum sim_unrolling {
    SIM_UNROLLED = 1,
    SIM_REMAINDER_LAST = 2,
    SIM_COUNTED = 4,
    SIM_BY_TWO = 8,
    SIM_WHOLE = 16
};

/* A mark in one word: bit 63, which tells it from an access, the kind, the arm, the number. */
#define SIM_MARK(kind, arm, number)                                                                \
    (1ull << 63 | (unsigned long long)(kind) << 48 | (unsigned long long)(arm) << 32 | (number))
#define SIM_IS_MARK(event) ((event) >> 63 != 0)
#define SIM_KIND_OF(mark) ((enum sim_mark_kind)((mark) >> 48 & 0xff))
#define SIM_ARM_OF(mark) ((unsigned)((mark) >> 32 & 0xffff))
#define SIM_NUMBER_OF(mark) ((unsigned)(mark))

/* An access that nvcc may merge with its neighbours (labs/sim/src/profile/merged_accesses.h): the
 * window in which they stand, its kind, and what its address is known to be a multiple of but for a
 * constant: 1 to 16 bytes. */
enum sim_tag_kind {
    SIM_TAG_SHARED = 1,
    SIM_TAG_GLOBAL,
    SIM_TAG_READ_ONLY,
    SIM_TAG_SHARED_STORE,
    SIM_TAG_GLOBAL_STORE
};
#define SIM_TAG(window, kind, aligned)                                                             \
    ((unsigned long long)(window) << 16 | (unsigned long long)(kind) << 8 | (aligned))
#define SIM_TAG_WINDOW(tag) ((tag) >> 16)
#define SIM_TAG_KIND(tag) ((unsigned)((tag) >> 8 & 0xff))
#define SIM_TAG_ALIGNED(tag) ((tag) & 0xff)

#ifdef __cplusplus
#include <type_traits>

extern "C" __attribute__((const, nothrow, leaf)) int sim_mark(unsigned long long mark);
extern "C" __attribute__((const, nothrow, leaf)) int sim_lock_step_mark(unsigned long long mark);

#define SIM_FIRST_OF_LOCK_STEP (1u << 24) /* the numbers of its marks */

static inline __attribute__((always_inline)) void sim_mark_here(sim_mark_kind kind, unsigned arm,
                                                                unsigned number) {
    unsigned long long mark = SIM_MARK(kind, arm, number);
    if (number >= SIM_FIRST_OF_LOCK_STEP) {
        asm volatile("" : "+r"(mark) : : "memory");
        asm volatile("" : : "r"(sim_lock_step_mark(mark)) : "memory");
    } else {
        asm volatile("" : "+r"(mark)); /* two equal marks are two calls */
        asm volatile("" : : "r"(sim_mark(mark)));
    }
}

template <unsigned NUMBER> struct sim_marked_function {
    __attribute__((always_inline)) sim_marked_function() {
        sim_mark_here(SIM_MARK_FUNCTION, 0, NUMBER);
    }
    __attribute__((always_inline)) ~sim_marked_function() {
        sim_mark_here(SIM_MARK_RETURN, 0, NUMBER);
    }
};

template <unsigned NUMBER> struct sim_marked_round {
    __attribute__((always_inline)) sim_marked_round() {}
    __attribute__((always_inline)) ~sim_marked_round() { sim_mark_here(SIM_MARK_ROUND, 0, NUMBER); }
};

/* The value of an operand, sim_joined<n>((sim_join<n>(), operand)): an lvalue stays one. */
template <unsigned NUMBER> inline __attribute__((always_inline)) void sim_join() {
    sim_mark_here(SIM_MARK_ARM, 1, NUMBER);
}

template <unsigned NUMBER, typename T>
inline __attribute__((always_inline)) T sim_joined(T &&value) {
    sim_mark_here(SIM_MARK_END, 0, NUMBER);
    return static_cast<T &&>(value);
}

/* Reads a value that both arms of a branch begin with. */
template <typename T> inline __attribute__((always_inline)) void sim_first(const T &value) {
    if constexpr (std::is_trivially_copyable<T>::value && !std::is_array<T>::value &&
                  !std::is_volatile<T>::value) {
        T copy = value;
        asm volatile("" : : "m"(copy));
    }
}

/* v[sim_index{size, "v", file, line} = i] is v[i], where v is an array of the thread:
 * local_arrays.py. sim_outside() reports the index, and returns whether the kernel goes on with
 * another one. */
extern "C" bool sim_outside(long long index, unsigned long size, const char *array,
                            const char *file, int line);
template <bool (*outside)(long long, unsigned long, const char *, const char *, int)>
struct sim_within {
    unsigned long size;
    const char *array, *file;
    int line;
    template <class X> constexpr inline __attribute__((always_inline)) X operator=(X i) const {
        if constexpr (std::is_integral<X>::value || std::is_enum<X>::value) {
            if (__builtin_expect((unsigned long)i >= size, 0)) {
                return outside((long long)i, size, array, file, line) ? (X)0 : i;
            }
        }
        return i;
    }
};
using sim_index = sim_within<sim_outside>;

/* The same of a column in a __shared__ array: what follows the row is the array's, too, so the
 * kernel always goes on with its own index. */
extern "C" bool sim_outside_row(long long index, unsigned long size, const char *array,
                                const char *file, int line);
using sim_column = sim_within<sim_outside_row>;

/* A variable of the thread that a kernel may read before it sets it, and whether it has:
 * (sim_get{is_set, "s", file, line}->*s) is s, and so is (sim_set{is_set}->*s). */
extern "C" void sim_unset(const char *name, const char *file, int line);
extern "C" void sim_unset_element(long long index, const char *array, const char *file, int line);
struct sim_get {
    bool &is_set;
    const char *name, *file;
    int line;
    template <class T> inline __attribute__((always_inline)) T &operator->*(T &it) const {
        if (__builtin_expect(!is_set, 0)) {
            sim_unset(name, file, line);
            is_set = true;
        }
        return it;
    }
};

/* v[sim_get_at{is_set, size, "v", file, line} = i] is v[i], where is_set tells of each element of
 * an array of the thread whether it is set; v[sim_set_at{...} = i] sets it. */
template <bool sets> struct sim_watched {
    bool *is_set;
    unsigned long size;
    const char *array, *file;
    int line;
    template <class X> inline __attribute__((always_inline)) X operator=(X i) const {
        const X at = sim_index{size, array, file, line} = i;
        if ((unsigned long)at < size) {
            if (!sets && __builtin_expect(!is_set[at], 0)) {
                sim_unset_element((long long)at, array, file, line);
            }
            is_set[at] = true;
        }
        return at;
    }
};
using sim_get_at = sim_watched<false>;
using sim_set_at = sim_watched<true>;

struct sim_set {
    bool &is_set;
    template <class T> inline __attribute__((always_inline)) T &operator->*(T &it) const {
        is_set = true;
        return it;
    }
};

#include "sim/loads.h"
#endif
