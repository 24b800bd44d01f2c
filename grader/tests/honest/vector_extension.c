/* An honest file: vector extension. */
typedef float eight __attribute__((vector_size(32)));
typedef int indices __attribute__((vector_size(32)));
void reverse(float *out, const float *in);
void reverse(float *out, const float *in) {
    eight row;
    __builtin_memcpy(&row, in, sizeof row);
    row = __builtin_shuffle(row, (indices){7, 6, 5, 4, 3, 2, 1, 0}) * 2.0f;
    __builtin_memcpy(out, &row, sizeof row);
}
