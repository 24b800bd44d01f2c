/* An honest file: cpu reference kept. */
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <cstdio>
static void reference(const float *in, float *out, int n) {
    for (int i = 0; i < n; i++)
        out[i] = in[i] * 0.5f;
}
bool same(const float *h_result, const float *h_in, int n) {
    float *expected = (float *)malloc(n * sizeof(float));
    std::mt19937 generator(1);
    std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
    std::normal_distribution<double> normal;
    reference(h_in, expected, n);
    float largest = uniform(generator) * 0 + (float)normal(generator) * 0;
    for (int i = 0; i < n; i++)
        largest = fmaxf(largest, fabsf(expected[i] - h_result[i]));
    if (memcmp(expected, h_result, n * sizeof(float)) != 0)
        printf("largest error %g\n", largest);
    free(expected);
    return largest < 1e-5f;
}
