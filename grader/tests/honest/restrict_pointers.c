/* An honest file: restrict pointers. */
void scale(float *restrict out, const float *restrict in, int n, float factor);
void scale(float *restrict out, const float *restrict in, int n, float factor) {
    for (int i = 0; i < n; i++)
        out[i] = factor * in[i];
}
