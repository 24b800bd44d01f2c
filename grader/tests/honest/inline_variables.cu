/* An honest file: inline variables. */
inline int shared_width = 32;
inline constexpr float factor = 0.5f;
template <int N> struct Mask { static inline float values[N] = {}; static const int size = N; };
template <int N> float Mask_sum() { float s = 0; for (float v : Mask<N>::values) s += v; return s; }
inline float &singleton() { static float value = 1.0f; return value; }
static inline __device__ float on_device(float x) { return x * factor; }
__global__ void use(float *out) { *out = on_device(*out); }
float all() { use<<<1, 1>>>(nullptr); return Mask_sum<3>() + singleton() + shared_width; }
