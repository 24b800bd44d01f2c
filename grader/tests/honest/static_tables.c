/* An honest file: static tables. */
static const float gauss[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
static float scratch[4096];
static int calls;
float weight(int i);
float weight(int i) {
    static float last = 1.0f;
    last = gauss[i] + last;
    scratch[calls++ & 4095] = last;
    return last;
}
