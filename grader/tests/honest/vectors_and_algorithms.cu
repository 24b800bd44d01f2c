/* An honest file: vectors and algorithms. */
#include <algorithm>
#include <array>
#include <cmath>
#include <cuda_runtime.h>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>
float statistics(const float *h_data, int n) {
    std::vector<float> data(h_data, h_data + n);
    std::sort(data.begin(), data.end());
    std::array<float, 4> quarters{};
    for (size_t i = 0; i < quarters.size(); i++)
        quarters[i] = data[i * data.size() / 4];
    std::map<int, float> known{{1, 2.0f}};
    std::unordered_map<std::string, float> named;
    named["mean"] = std::accumulate(data.begin(), data.end(), 0.0f) / n;
    std::function<float(float)> root = [](float x) { return std::sqrt(x); };
    data.push_back(std::max(quarters[0], std::min(quarters[1], known[1])));
    data.resize(2 * data.size());
    return root(named["mean"]) + *std::max_element(data.begin(), data.end()) + std::abs(data[0]);
}
