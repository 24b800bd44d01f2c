#include <cstddef>

// Buffers of each host thread, at an index that is known only when it runs.
struct entry {
    float values[8];
};

static thread_local float line_buffer[64];
static thread_local entry entries[4];
thread_local int calls_so_far;

static entry entry_of(float x) {
    return {{x, x * x, x * x * x}};
}

float from_buffer(int i);
float from_buffer(int i) {
    calls_so_far++;
    line_buffer[i & 63] += (float)calls_so_far;
    entries[i & 3] = entry_of(line_buffer[(i * 7) & 63]);
    return entries[(i + 1) & 3].values[i & 7];
}
