#include "trace/copy_pieces.h"

#include <stdint.h>

/* The least alignment of the program's structures of each size. Those that are as aligned as their
 * size are no matter: g++ reports them as other accesses. */
enum { UNKNOWN_ALIGNMENT, MOST_STRUCTURE = 64 };
static unsigned char alignment_of[MOST_STRUCTURE + 1];
static bool has_packed; /* structures, or other types that are less aligned than they are large */

void sim_note_packed(void);
void sim_note_packed(void) {
    has_packed = true;
}

/* The layouts of all structures of the program: sim/loads.h. */
struct layout {
    uint64_t size, alignment;
};
extern const struct layout __start_sim_layouts[] __attribute__((weak));
extern const struct layout __stop_sim_layouts[] __attribute__((weak));

__attribute__((constructor(102))) static void read_layouts(void) {
    for (const struct layout *it = __start_sim_layouts; it < __stop_sim_layouts; it++) {
        if (it->size > MOST_STRUCTURE || it->alignment == 0 || it->alignment >= it->size) {
            continue;
        }
        unsigned char *least = &alignment_of[it->size];
        if (*least == UNKNOWN_ALIGNMENT || it->alignment < *least) {
            *least = (unsigned char)it->alignment;
        }
    }
}

/* Does the alignment of its structure say how the device copies an object? In shared memory it
 * knows the address itself, of words of 4 bytes. */
static bool is_layout_known(size_t size, bool in_shared) {
    return size <= MOST_STRUCTURE && alignment_of[size] != UNKNOWN_ALIGNMENT &&
           (!in_shared || alignment_of[size] < 4);
}

unsigned piece_of(const void *address, size_t size, unsigned most, bool in_shared) {
    unsigned width = is_layout_known(size, in_shared) ? alignment_of[size]
                     : has_packed && !in_shared       ? 1
                                                      : most;
    width = width < MOST_PIECE ? width : MOST_PIECE;
    while (size % width != 0 || (uintptr_t)address % width != 0) {
        width /= 2;
    }
    return width;
}
