#include "memory/heap.h"

#include "base/limits.h"
#include "base/options.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES 320 /* sizes of chunks: multiples of 16, then 8 of them between powers of 2 */

/* The chunks in the order of their addresses, and of each size those that are free. */
static struct {
    char *base;
    size_t size, used; /* bytes of the heap; those in chunks */
    struct heap_chunk *chunks;
    size_t count, room;
    struct {
        uint32_t *chunks;
        size_t count, room;
    } free[CLASSES];
} heap;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The smallest size of at least `bytes` bytes, and its number. */
static size_t class_size(size_t bytes, unsigned *number) {
    unsigned power = 10;
    while (bytes >> (power + 1) > 0) {
        power++;
    }
    size_t step = bytes <= 1024 ? 16 : (size_t)1 << (power - 3);
    size_t size = (bytes + step - 1) / step * step;
    *number = (unsigned)(bytes <= 1024 ? size / 16
                                       : 8 * power - 16 + (size - ((size_t)1 << power)) / step);
    return size;
}

/* Room for one more element of `bytes` bytes in an array of `count`. */
static bool grow(void **array, size_t count, size_t *room, size_t bytes) {
    if (count < *room) {
        return true;
    }
    size_t more = *room ? 2 * *room : 64;
    void *larger = realloc(*array, more * bytes);
    if (larger) {
        *array = larger;
        *room = more;
    }
    return larger != NULL;
}

static bool create(void) {
    if (!heap.base) {
        heap.size = sim_limits[cudaLimitMallocHeapSize];
        heap.base = sim_allocate(heap.size, SIM_HEAP_MEMORY, 0, (struct sim_location){NULL, 0});
    }
    return heap.base != NULL;
}

/* A chunk that was freed, or NULL. */
static struct heap_chunk *reuse(unsigned number) {
    if (heap.free[number].count == 0) {
        return NULL;
    }
    return &heap.chunks[heap.free[number].chunks[--heap.free[number].count]];
}

/* A chunk behind all others, or NULL. */
static struct heap_chunk *append(size_t size) {
    void *chunks = heap.chunks;
    if (heap.size - heap.used < size ||
        !grow(&chunks, heap.count, &heap.room, sizeof *heap.chunks)) {
        return NULL;
    }
    heap.chunks = chunks;
    struct heap_chunk *chunk = &heap.chunks[heap.count++];
    *chunk = (struct heap_chunk){.base = heap.base + heap.used, .size = size};
    heap.used += size;
    return chunk;
}

void *sim_heap_new(size_t bytes, struct sim_location location, const void *pc) {
    void *base = NULL;
    unsigned number;
    pthread_mutex_lock(&lock);
    if (bytes <= sim_limits[cudaLimitMallocHeapSize] && create()) {
        /* With a gap, so that an access just outside meets no other chunk. Under the checks, memory
         * is used again only when there is no other: an access to freed memory is found. */
        size_t size = class_size(bytes + 16, &number);
        struct heap_chunk *chunk = sim_checked ? append(size) : reuse(number);
        if (!chunk) {
            chunk = sim_checked ? reuse(number) : append(size);
        }
        if (chunk) {
            chunk->bytes = bytes;
            chunk->location = location;
            chunk->pc = pc;
            chunk->freed = false;
            base = chunk->base;
            memset(base, SIM_POISON, bytes);
        }
    }
    pthread_mutex_unlock(&lock);
    return base;
}

/* The index of the chunk that holds the address, or the number of chunks. */
static size_t find(const void *address) {
    const char *at = address;
    if (!heap.base || at < heap.base || at >= heap.base + heap.used) {
        return heap.count;
    }
    size_t low = 0, high = heap.count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (heap.chunks[middle].base <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

enum heap_answer sim_heap_delete(void *pointer) {
    enum heap_answer answer = HEAP_FREED;
    pthread_mutex_lock(&lock);
    size_t i = find(pointer);
    struct heap_chunk *chunk = &heap.chunks[i];
    if (i == heap.count || chunk->base != pointer) {
        answer = HEAP_NOT_A_CHUNK;
    } else if (chunk->freed) {
        answer = HEAP_FREED_BEFORE;
    } else {
        unsigned number;
        chunk->freed = true;
        class_size(chunk->size, &number);
        void *chunks = heap.free[number].chunks;
        if (grow(&chunks, heap.free[number].count, &heap.free[number].room, sizeof(uint32_t))) {
            heap.free[number].chunks = chunks;
            heap.free[number].chunks[heap.free[number].count++] = (uint32_t)i;
        } /* else it is never used again */
    }
    pthread_mutex_unlock(&lock);
    return answer;
}

const struct heap_chunk *sim_heap_chunk(const void *address) {
    size_t i = find(address);
    return i < heap.count ? &heap.chunks[i] : NULL;
}

void sim_heap_reset(void) {
    free(heap.chunks);
    for (unsigned i = 0; i < CLASSES; i++) {
        free(heap.free[i].chunks);
    }
    memset(&heap, 0, sizeof heap);
}

/* One finding for all that the same call has allocated. */
void sim_heap_report_leaks(void) {
    for (size_t i = 0; i < heap.count; i++) {
        const struct heap_chunk *c = &heap.chunks[i];
        size_t bytes = 0, count = 0;
        for (size_t j = i; j < heap.count && !c->freed; j++) {
            struct heap_chunk *other = &heap.chunks[j];
            if (!other->freed && other->pc == c->pc && other->location.line == c->location.line &&
                other->location.file == c->location.file) {
                bytes += other->bytes;
                count++;
                other->freed = j != i;
            }
        }
        if (count > 0) {
            sim_report(&(struct sim_finding){.found = FOUND_LEAK_OF_KERNELS,
                                             .location = c->location,
                                             .pc = c->pc,
                                             .bytes = bytes,
                                             .number = (long long)count});
        }
    }
}
