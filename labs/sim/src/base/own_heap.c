#define SIM_OWN_HEAP_ITSELF
#include "base/own_heap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Blocks of powers of two, each with a header before it. A freed block is kept for the next one of
 * its size. */
enum { HEADER = 16, SMALLEST = 5, LARGEST = 40 };
#define HEAP ((size_t)2 << 30) /* bytes of addresses; pages come as they are used */

struct block {
    union {
        struct block *next; /* of a free one */
        size_t order;       /* of one in use: it has 2^order bytes, header included */
    };
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *heap; /* NULL: not made yet, or there are no addresses for it */
static size_t used;
static struct block *free_blocks[LARGEST];

static bool make_heap(void) {
    if (heap == NULL) {
        void *made = mmap(NULL, HEAP, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        heap = made == MAP_FAILED ? NULL : made;
    }
    return heap != NULL;
}

size_t own_heap_range(const char **begin) {
    pthread_mutex_lock(&lock);
    const bool is_made = make_heap();
    *begin = heap;
    pthread_mutex_unlock(&lock);
    return is_made ? HEAP : 0;
}

static size_t order_of(size_t bytes) {
    size_t order = SMALLEST;
    while (((size_t)1 << order) < bytes + HEADER) {
        order++;
    }
    return order;
}

static struct block *take(size_t order) {
    struct block *b = free_blocks[order];
    const size_t bytes = (size_t)1 << order;
    if (b != NULL) {
        free_blocks[order] = b->next;
    } else if (make_heap() && bytes <= HEAP - used) {
        b = (struct block *)(void *)(heap + used);
        used += bytes;
    }
    return b;
}

void *own_malloc(size_t bytes) {
    if (bytes > HEAP / 2) {
        return NULL;
    }
    const size_t order = order_of(bytes);
    pthread_mutex_lock(&lock);
    struct block *b = take(order);
    pthread_mutex_unlock(&lock);
    if (b == NULL) {
        return NULL;
    }
    b->order = order;
    return (char *)b + HEADER;
}

void *own_calloc(size_t number, size_t bytes) {
    size_t all;
    void *memory = __builtin_mul_overflow(number, bytes, &all) ? NULL : own_malloc(all);
    return memory ? memset(memory, 0, all) : NULL;
}

static bool is_own(const void *memory) {
    return heap != NULL && (size_t)((const char *)memory - heap) < HEAP;
}

static struct block *block_of(void *memory) {
    return (struct block *)(void *)((char *)memory - HEADER);
}

void own_free(void *memory) {
    if (!is_own(memory)) {
        free(memory);
        return;
    }
    struct block *b = block_of(memory);
    pthread_mutex_lock(&lock);
    const size_t order = b->order;
    b->next = free_blocks[order];
    free_blocks[order] = b;
    pthread_mutex_unlock(&lock);
}

void *own_realloc(void *memory, size_t bytes) {
    if (memory == NULL) {
        return own_malloc(bytes);
    }
    if (!is_own(memory)) {
        return realloc(memory, bytes);
    }
    const size_t room = ((size_t)1 << block_of(memory)->order) - HEADER;
    if (bytes <= room) {
        return memory;
    }
    void *larger = own_malloc(bytes);
    if (larger != NULL) {
        memcpy(larger, memory, room);
        own_free(memory);
    }
    return larger;
}
