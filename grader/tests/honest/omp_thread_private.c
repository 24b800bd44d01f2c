/* An honest file: omp thread private. */
static float scratch[256];
#pragma omp threadprivate(scratch)
static __thread int calls;
static _Thread_local int others;
float use(int i);
float use(int i) {
    scratch[i & 255] += 1.0f;
    return scratch[0] + (float)(calls++ + others++);
}
