/* An honest file: lambdas. */
#include <algorithm>
#include <vector>
__global__ void apply(float *data, int n, float factor) {
    auto scaled = [=](float x) { return x * factor; };
    if (threadIdx.x < n)
        data[threadIdx.x] = scaled(data[threadIdx.x]);
}
int count_above(const std::vector<float> &data, float limit) {
    int calls = 0;
    auto above = [&calls, limit](float x) { return ++calls, x > limit; };
    return (int)std::count_if(data.begin(), data.end(), above) + calls;
}
void call(float *d_data) { apply<<<1, 32>>>(d_data, 32, 2.0f); }
