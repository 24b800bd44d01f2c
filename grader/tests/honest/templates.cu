/* An honest file: templates. */
template <typename T, int RADIUS> __device__ T window(const T *row, int x) {
    T sum = 0;
#pragma unroll
    for (int i = -RADIUS; i <= RADIUS; i++)
        sum += row[x + i];
    return sum;
}
template <typename T, int RADIUS> __global__ void blur(const T *in, T *out) {
    out[threadIdx.x] = window<T, RADIUS>(in, threadIdx.x + RADIUS);
}
template <typename T> cudaError_t chosen(const T *in, T *out, int radius) {
    switch (radius) {
    case 1: blur<T, 1><<<1, 32>>>(in, out); break;
    case 2: blur<T, 2><<<1, 32>>>(in, out); break;
    default: return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}
template cudaError_t chosen<float>(const float *, float *, int);
template <> cudaError_t chosen<int>(const int *, int *, int) { return cudaErrorInvalidValue; }
template <typename T> constexpr T half = T(1) / 2;
double both(const float *in, float *out) { return chosen(in, out, 1) + half<double>; }
