// Evaluates functions that CUDA adds to C, for test_functions.py:
//     functions INPUTS RESULTS
// INPUTS holds doubles; RESULTS gets, function by function, one double each: of the function for
// double, then of the one for float. The names go to the output.
#include <cuda_fp16.h>

#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS(F)                                                                               \
    F(erfinv)                                                                                      \
    F(erfcinv) F(erfcx) F(normcdf) F(normcdfinv) F(cyl_bessel_i0) F(cyl_bessel_i1) F(rcbrt)        \
        F(rsqrt) F(sinpi) F(cospi) F(exp10) F(j0) F(j1) F(y0) F(y1) F(lgamma) F(tgamma) F(erf)     \
            F(erfc)

#define FAST(F)                                                                                    \
    F(__expf)                                                                                      \
    F(__exp10f) F(__logf) F(__log2f) F(__log10f) F(__sinf) F(__cosf) F(__tanf) F(__tanhf)          \
        F(__frsqrt_rn) F(__saturatef)

#define HALVES(F)                                                                                  \
    F(hsqrt)                                                                                       \
    F(hrsqrt) F(hrcp) F(hlog) F(hlog2) F(hlog10) F(hexp) F(hexp2) F(hexp10) F(hcos) F(hsin) F(htanh)

#define EVALUATE(g)                                                                                \
    results[count++ * n + i] = g(x);                                                               \
    results[count++ * n + i] = g##f(single);
#define EVALUATE_FAST(f) results[count++ * n + i] = f(single);
#define EVALUATE_HALF(f) results[count++ * n + i] = __half2float(f(__float2half(single)));

__global__ void evaluate(const double *inputs, double *results, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    size_t count = 0;
    double x = inputs[i];
    float single = (float)x;
    FUNCTIONS(EVALUATE)
    FAST(EVALUATE_FAST)
    HALVES(EVALUATE_HALF)
    results[count++ * n + i] = norm3d(x, 3.0, 4.0);
    results[count++ * n + i] = rhypot(x, 2.0);
    results[count++ * n + i] = rnorm4d(x, 1.0, 2.0, 3.0);
    results[count++ * n + i] = __fdividef(single, 3.0f);
    results[count++ * n + i] = __powf(single, 1.5f);
}

#define NAMES(g) printf("%s\n%s\n", #g, #g "f");
#define NAME(f) printf("%s\n", #f);
#define COUNT(f) +2
#define COUNT_FAST(f) +1

int main(int argc, char **argv) {
    FILE *from = argc == 3 ? fopen(argv[1], "rb") : NULL;
    FILE *to = argc == 3 ? fopen(argv[2], "wb") : NULL;
    if (!from || !to) {
        return 2;
    }
    fseek(from, 0, SEEK_END);
    int n = (int)(ftell(from) / (long)sizeof(double));
    rewind(from);
    const size_t functions = 5 FUNCTIONS(COUNT) FAST(COUNT_FAST) HALVES(COUNT_FAST);
    size_t bytes = functions * n * sizeof(double);
    double *h_inputs = (double *)malloc(n * sizeof(double)), *d_inputs;
    double *h_results = (double *)malloc(bytes), *d_results;
    if (fread(h_inputs, sizeof(double), n, from) != (size_t)n) {
        return 2;
    }
    fclose(from);
    cudaMalloc(&d_inputs, n * sizeof(double));
    cudaMalloc(&d_results, bytes);
    cudaMemcpy(d_inputs, h_inputs, n * sizeof(double), cudaMemcpyHostToDevice);
    evaluate<<<(n + 255) / 256, 256>>>(d_inputs, d_results, n);
    cudaMemcpy(h_results, d_results, bytes, cudaMemcpyDeviceToHost);
    fwrite(h_results, 1, bytes, to);
    fclose(to);
    FUNCTIONS(NAMES)
    FAST(NAME)
    HALVES(NAME)
    printf("norm3d\nrhypot\nrnorm4d\n__fdividef\n__powf\n");
    cudaFree(d_inputs);
    cudaFree(d_results);
    free(h_inputs);
    free(h_results);
    return cudaGetLastError() != cudaSuccess;
}
