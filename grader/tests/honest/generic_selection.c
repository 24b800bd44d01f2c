/* An honest file: generic selection. */
#define absolute(x) _Generic((x), float: absolute_f, double: absolute_d, int: absolute_i)(x)
static float absolute_f(float x) { return x < 0 ? -x : x; }
static double absolute_d(double x) { return x < 0 ? -x : x; }
static int absolute_i(int x) { return x < 0 ? -x : x; }
double together(float a, double b, int c);
double together(float a, double b, int c) {
    return (double)absolute(a) + absolute(b) + absolute(c);
}
