/* An honest file: new and delete. */
#include <new>
struct Plane { float *pixels; int width; };
__global__ void on_device(float *out) {
    float *scratch = new float[4];
    scratch[0] = 1;
    *out = scratch[0];
    delete[] scratch;
}
Plane *made(int width) {
    Plane *plane = new Plane{new float[width](), width};
    alignas(64) char place[64];
    Plane *second = new (place) Plane(*plane);
    if (!new (std::nothrow) float[8]) return nullptr;
    second->~Plane();
    delete[] plane->pixels;
    delete plane;
    on_device<<<1, 1>>>(nullptr);
    return nullptr;
}
