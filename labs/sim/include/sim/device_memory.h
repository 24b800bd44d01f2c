/* The C functions on memory, as kernels call them: malloc() and free(), new and delete use the
 * device's heap; memcpy() and memset() are accesses like any other. In host code they are the C
 * library's. */
#pragma once

#include "sim/abi.h"
#include "sim/launch.h"

#include <cstdlib>
#include <cstring>
#include <malloc.h> /* declares free() again: not after the macro of that name */
#include <new>

/* ---- the heap: malloc() and new give NULL when it is full */

static inline void *sim_malloc(size_t bytes, SIM_SITE) {
    return sim_heap_allocate(bytes, nullptr, sim_file, sim_line);
}
static inline void sim_free(void *pointer, SIM_SITE) {
    sim_heap_free(pointer, nullptr, sim_file, sim_line);
}
namespace std {
using ::sim_free;
using ::sim_malloc;
} // namespace std

#define malloc(...) sim_malloc(__VA_ARGS__)
#define free(...) sim_free(__VA_ARGS__)

#ifndef SIM_EDITOR
/* Weak: a program may define its own. They are the same in every file of a program. */
#define SIM_HEAP_OPERATOR __attribute__((weak)) SIM_UNTRACED

SIM_HEAP_OPERATOR void *operator new(size_t bytes) {
    void *memory = sim_heap_allocate(bytes, __builtin_return_address(0), nullptr, 0);
    if (!memory && !sim_on_device()) {
        throw std::bad_alloc();
    }
    return memory;
}
SIM_HEAP_OPERATOR void *operator new[](size_t bytes) {
    void *memory = sim_heap_allocate_array(bytes, __builtin_return_address(0));
    if (!memory && !sim_on_device()) {
        throw std::bad_alloc();
    }
    return memory;
}
SIM_HEAP_OPERATOR void operator delete(void *pointer) noexcept {
    sim_heap_free(pointer, __builtin_return_address(0), nullptr, 0);
}
SIM_HEAP_OPERATOR void operator delete[](void *pointer) noexcept {
    sim_heap_free(pointer, __builtin_return_address(0), nullptr, 0);
}
SIM_HEAP_OPERATOR void operator delete(void *pointer, size_t) noexcept {
    sim_heap_free(pointer, __builtin_return_address(0), nullptr, 0);
}
SIM_HEAP_OPERATOR void operator delete[](void *pointer, size_t) noexcept {
    sim_heap_free(pointer, __builtin_return_address(0), nullptr, 0);
}

#undef SIM_HEAP_OPERATOR
#endif

/* ---- copies and fills: a traced program reports them. nvcc knows nothing of the alignment of a
 * `void *`, and so the device copies and fills byte by byte, whatever the type of the array. */

#ifdef __SANITIZE_THREAD__
namespace std {
using ::sim_memcpy;
using ::sim_memmove;
using ::sim_memset;
} // namespace std

#define memcpy(...) sim_memcpy(__VA_ARGS__)
#define memmove(...) sim_memmove(__VA_ARGS__)
#define memset(...) sim_memset(__VA_ARGS__)
#define __builtin_strcpy(...) std::strcpy(__VA_ARGS__)
#define __builtin_strncpy(...) std::strncpy(__VA_ARGS__)
#define __builtin_strcat(...) std::strcat(__VA_ARGS__)
#define __builtin_strncat(...) std::strncat(__VA_ARGS__)
#endif
