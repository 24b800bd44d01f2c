/* An honest file: constexpr tables. */
#include <array>
namespace {
constexpr int RADIUS = 2;
constexpr float GAUSS[2 * RADIUS + 1] = {1, 4, 6, 4, 1};
constexpr std::array<int, 3> SIZES{3, 5, 7};
constexpr int square(int x) { return x * x; }
static_assert(square(3) == 9, "");
}
namespace filters::detail {
inline int total() { int sum = 0; for (int size : SIZES) sum += size; return sum; }
}
__constant__ float c_gauss[5] = {1, 4, 6, 4, 1};
cudaError_t upload() {
    return filters::detail::total() > 0 ? cudaMemcpyToSymbol(c_gauss, GAUSS, sizeof GAUSS) : cudaSuccess;
}
