/* An honest file: omp simd. */
void add(float *out, const float *a, const float *b, int n);
#pragma omp declare simd
static float sum(float a, float b) { return a + b; }
void add(float *out, const float *a, const float *b, int n) {
#pragma omp simd aligned(out : 4)
    for (int i = 0; i < n; i++)
        out[i] = sum(a[i], b[i]);
#pragma omp parallel for simd
    for (int i = 0; i < n; i++)
        out[i] *= 2.0f;
}
