/* An honest file: c interface. */
#ifdef __cplusplus
extern "C" {
#endif
int helper_in_c(int x);
#ifdef __cplusplus
}
#endif
extern "C" int helper_in_c(int x) { return x + 1; }
extern "C" __global__ void kernel_in_c(float *data) { data[threadIdx.x] = 1; }
int call(float *data) { kernel_in_c<<<1, 32>>>(data); return helper_in_c(1); }
