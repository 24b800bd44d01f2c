#include "profile/repeated_loads.h"

#include "sim/marks.h"

#include <stdbool.h>

/* A thread has up to 255 registers, some of which hold sums and addresses. */
#define KEPT 128
#define SLOTS (2 * KEPT) /* a power of two */
#define WORD 4           /* bytes of a bank */

/* A load since the straight code of this number began; older ones are free slots. */
struct slot {
    uint64_t address;
    unsigned width, code;
};

struct kept {
    struct slot slots[SLOTS];
    unsigned count, code;
    uint32_t loop; /* the innermost one that is not straight code */
};

static void forget(struct kept *kept) {
    kept->count = 0;
    kept->code++;
}

/* Was it loaded before? Else it is kept from now on. */
static bool is_repeated(struct kept *kept, uint64_t address, unsigned width) {
    unsigned at = address / WORD % SLOTS;
    for (; kept->slots[at].code == kept->code; at = (at + 1) % SLOTS) {
        if (kept->slots[at].address == address && kept->slots[at].width == width) {
            return true;
        }
    }
    kept->slots[at] = (struct slot){address, width, kept->code};
    if (++kept->count == KEPT) {
        forget(kept);
    }
    return false;
}

static void pass_mark(struct kept *kept, uint64_t mark) {
    const uint32_t number = SIM_NUMBER_OF(mark);
    if (SIM_KIND_OF(mark) == SIM_MARK_LOOP && !(SIM_ARM_OF(mark) & SIM_WHOLE)) {
        kept->loop = number;
        forget(kept);
    } else if (SIM_KIND_OF(mark) == SIM_MARK_END && number == kept->loop) {
        forget(kept);
    }
}

/* Does an access load what is still in a register? */
static bool pass_access(struct kept *kept, uint64_t code, uint64_t address) {
    if (code & (EVENT_STORE | EVENT_ATOMIC)) {
        forget(kept);
        return false;
    }
    return is_repeated(kept, address, event_width(code));
}

void remove_repeated_loads(struct lane_stream *stream, uint64_t from, uint64_t to) {
    struct kept kept = {.code = 1};
    size_t codes = 0, addresses = 0, access = 0;
    for (size_t i = 0; i < stream->code_count; i++) {
        const uint64_t code = stream->codes[i];
        if (SIM_IS_MARK(code)) {
            pass_mark(&kept, code);
            stream->codes[codes++] = code;
            continue;
        }
        const uint64_t address = stream->addresses[access++];
        const bool shared = address >= from && address < to;
        if (!shared || !pass_access(&kept, code, address)) {
            stream->codes[codes++] = code;
            stream->addresses[addresses++] = address;
        }
    }
    stream->code_count = codes;
    stream->address_count = addresses;
}
