/* An honest file: iostream. */
#include <iostream>
#include <iomanip>
#include <sstream>
#include <string>
void report(const float *h_data, int n) {
    std::ostringstream text;
    for (int i = 0; i < n; i++)
        text << std::setprecision(3) << h_data[i] << ' ';
    std::string line = text.str() + std::to_string(n);
    std::cout << line << std::endl;
    std::cerr << "pixels: " << n << '\n';
    std::clog << std::hex << n << std::flush;
}
