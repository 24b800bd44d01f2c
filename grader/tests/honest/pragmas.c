/* Pragmas that change no check. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma STDC FP_CONTRACT ON
#pragma pack(push, 1)
struct header { char kind; int width; };
#pragma pack(pop)
#define UNROLLED _Pragma("GCC unroll 4")
void triple(float *row, int n);
void triple(float *row, int n) {
#pragma GCC ivdep
    for (int i = 0; i < n; i++)
        row[i] *= 3.0f;
    UNROLLED
    for (int i = 0; i < n; i++)
        row[i] += 1.0f;
}
#pragma GCC diagnostic pop
