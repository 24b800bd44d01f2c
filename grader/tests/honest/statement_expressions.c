/* An honest file: statement expressions. */
#define max_of(a, b)                     \
    ({                                   \
        __typeof__(a) _a = (a);          \
        __typeof__(b) _b = (b);          \
        _a > _b ? _a : _b;               \
    })
static void release(float **memory) { __builtin_free(*memory); }
int largest(int a, int b);
int largest(int a, int b) {
    __attribute__((cleanup(release))) float *memory = __builtin_malloc(64);
    memory[0] = 1.0f;
    return max_of(a, b) + (int)memory[0];
}
