// Evaluates functions of half and bfloat16, as bits, for test_float16.py:
//     float16 half|bfloat16 OPERANDS RESULTS
// OPERANDS holds triples (x, y, z) of 16 bits and a float; RESULTS gets, function by function, one
// result of 64 bits a triple. The names of the functions go to the output.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct operands {
    unsigned short x, y, z, unused;
    double number;
    long long integer;
};

static __device__ long long bits(half x) {
    return __half_as_ushort(x);
}
static __device__ long long bits(__nv_bfloat16 x) {
    return __bfloat16_as_ushort(x);
}
static __device__ long long bits(float x) {
    return __float_as_uint(x);
}
static __device__ long long bits(long long x) {
    return x;
}
static __device__ long long bits(unsigned long long x) {
    return (long long)x;
}
static __device__ long long bits(int x) {
    return x;
}
static __device__ long long bits(unsigned x) {
    return x;
}
static __device__ long long bits(bool x) {
    return x;
}
static __device__ long long bits(half2 x) {
    unsigned both;
    memcpy(&both, &x, sizeof both);
    return both;
}
static __device__ long long bits(__nv_bfloat162 x) {
    unsigned both;
    memcpy(&both, &x, sizeof both);
    return both;
}

#define CONVERSIONS(F, n)                                                                          \
    F(n##2float, __##n##2float(x))                                                                 \
    F(n##2char_rz, (int)__##n##2char_rz(x))                                                        \
    F(n##2uchar_rz, (int)__##n##2uchar_rz(x))                                                      \
    F(n##2short_rn, (int)__##n##2short_rn(x))                                                      \
    F(n##2short_rd, (int)__##n##2short_rd(x))                                                      \
    F(n##2ushort_ru, (int)__##n##2ushort_ru(x))                                                    \
    F(n##2ushort_rz, (int)__##n##2ushort_rz(x))                                                    \
    F(n##2int_rn, __##n##2int_rn(x))                                                               \
    F(n##2int_ru, __##n##2int_ru(x))                                                               \
    F(n##2uint_rd, __##n##2uint_rd(x))                                                             \
    F(n##2uint_rz, __##n##2uint_rz(x))                                                             \
    F(n##2ll_rn, __##n##2ll_rn(x))                                                                 \
    F(n##2ll_rd, __##n##2ll_rd(x))                                                                 \
    F(n##2ull_ru, __##n##2ull_ru(x))                                                               \
    F(n##2ull_rz, __##n##2ull_rz(x))                                                               \
    F(float2##n##_rn, __float2##n##_rn((float)number))                                             \
    F(float2##n##_rz, __float2##n##_rz((float)number))                                             \
    F(float2##n##_rd, __float2##n##_rd((float)number))                                             \
    F(float2##n##_ru, __float2##n##_ru((float)number))                                             \
    F(double2##n, __double2##n(number))                                                            \
    F(ll2##n##_rn, __ll2##n##_rn(integer))                                                         \
    F(ll2##n##_rz, __ll2##n##_rz(integer))                                                         \
    F(ll2##n##_rd, __ll2##n##_rd(integer))                                                         \
    F(ll2##n##_ru, __ll2##n##_ru(integer))                                                         \
    F(ull2##n##_rn, __ull2##n##_rn((unsigned long long)integer))                                   \
    F(ull2##n##_ru, __ull2##n##_ru((unsigned long long)integer))                                   \
    F(int2##n##_rn, __int2##n##_rn((int)integer))                                                  \
    F(uint2##n##_rd, __uint2##n##_rd((unsigned)integer))                                           \
    F(short2##n##_rz, __short2##n##_rz((short)integer))                                            \
    F(ushort2##n##_ru, __ushort2##n##_ru((unsigned short)integer))

#define FUNCTIONS(F)                                                                               \
    F(hadd, __hadd(x, y))                                                                          \
    F(hsub, __hsub(x, y)) F(hmul, __hmul(x, y)) F(hdiv, __hdiv(x, y))                              \
        F(hadd_sat, __hadd_sat(x, y)) F(hmul_sat, __hmul_sat(x, y)) F(hfma, __hfma(x, y, z))       \
            F(hfma_sat, __hfma_sat(x, y, z)) F(hfma_relu, __hfma_relu(x, y, z))                    \
                F(hmax, __hmax(x, y)) F(hmin, __hmin(x, y)) F(hmax_nan, __hmax_nan(x, y))          \
                    F(hmin_nan, __hmin_nan(x, y)) F(heq, __heq(x, y)) F(hne, __hne(x, y))          \
                        F(hlt, __hlt(x, y)) F(hge, __hge(x, y)) F(hgtu, __hgtu(x, y))              \
                            F(hleu, __hleu(x, y)) F(hneu, x != y) F(hneg, -x) F(habs, __habs(x))   \
                                F(hisnan, __hisnan(x)) F(hisinf, __hisinf(x)) F(htrunc, htrunc(x)) \
                                    F(hceil, hceil(x)) F(hfloor, hfloor(x)) F(hrint, hrint(x))     \
                                        F(hsqrt, hsqrt(x)) F(hrsqrt, hrsqrt(x)) F(hrcp, hrcp(x))   \
                                            F(hlog, hlog(x)) F(hlog2, hlog2(x))                    \
                                                F(hlog10, hlog10(x)) F(hexp, hexp(x))              \
                                                    F(hexp2, hexp2(x)) F(hexp10, hexp10(x))        \
                                                        F(hcos, hcos(x)) F(hsin, hsin(x))          \
                                                            F(htanh, htanh(x))

#define PAIRS(F, pack)                                                                             \
    F(hadd2, __hadd2(pack(x, y), pack(z, x)))                                                      \
    F(hfma2, __hfma2(pack(x, y), pack(y, z), pack(z, x))) F(h2div, pack(x, y) / pack(z, x))        \
        F(hmax2_nan, __hmax2_nan(pack(x, y), pack(z, x)))                                          \
            F(hltu2_mask, __hltu2_mask(pack(x, y), pack(z, x)))                                    \
                F(hge2, __hge2(pack(x, y), pack(z, x)))                                            \
                    F(hcmadd, __hcmadd(pack(x, y), pack(y, z), pack(z, x)))                        \
                        F(hbne2, __hbne2(pack(x, y), pack(z, x)))

#define EVALUATE(name, ...) results[count++ * n + i] = bits(__VA_ARGS__);
#define NAME(name, ...) printf("%s\n", #name);

#define LIST(F, n, pack) CONVERSIONS(F, n) FUNCTIONS(F) PAIRS(F, pack)

__global__ void halves(const operands *all, long long *results, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    size_t count = 0;
    half x = __ushort_as_half(all[i].x), y = __ushort_as_half(all[i].y);
    half z = __ushort_as_half(all[i].z);
    double number = all[i].number;
    long long integer = all[i].integer;
    LIST(EVALUATE, half, __halves2half2)
}

__global__ void bfloats(const operands *all, long long *results, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    size_t count = 0;
    __nv_bfloat16 x = __ushort_as_bfloat16(all[i].x), y = __ushort_as_bfloat16(all[i].y);
    __nv_bfloat16 z = __ushort_as_bfloat16(all[i].z);
    double number = all[i].number;
    long long integer = all[i].integer;
    LIST(EVALUATE, bfloat16, __halves2bfloat162)
}

#define COUNT(name, ...) +1

int main(int argc, char **argv) {
    bool is_half = argc == 4 && strcmp(argv[1], "half") == 0;
    FILE *from = argc == 4 ? fopen(argv[2], "rb") : NULL,
         *to = argc == 4 ? fopen(argv[3], "wb") : NULL;
    if (!from || !to) {
        return 2;
    }
    fseek(from, 0, SEEK_END);
    int n = (int)(ftell(from) / (long)sizeof(operands));
    rewind(from);
    const size_t functions = 0 LIST(COUNT, half, __halves2half2);
    size_t bytes = functions * n * sizeof(long long);
    operands *h_operands = (operands *)malloc(n * sizeof(operands)), *d_operands;
    long long *h_results = (long long *)malloc(bytes), *d_results;
    if (fread(h_operands, sizeof(operands), n, from) != (size_t)n) {
        return 2;
    }
    fclose(from);
    cudaMalloc(&d_operands, n * sizeof(operands));
    cudaMalloc(&d_results, bytes);
    cudaMemcpy(d_operands, h_operands, n * sizeof(operands), cudaMemcpyHostToDevice);
    if (is_half) {
        halves<<<(n + 255) / 256, 256>>>(d_operands, d_results, n);
        LIST(NAME, half, __halves2half2)
    } else {
        bfloats<<<(n + 255) / 256, 256>>>(d_operands, d_results, n);
        LIST(NAME, bfloat16, __halves2bfloat162)
    }
    cudaMemcpy(h_results, d_results, bytes, cudaMemcpyDeviceToHost);
    fwrite(h_results, 1, bytes, to);
    fclose(to);
    cudaFree(d_operands);
    cudaFree(d_results);
    free(h_operands);
    free(h_results);
    return cudaGetLastError() != cudaSuccess;
}
