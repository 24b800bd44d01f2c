// Packed structures: the compiler knows that their fields may lie anywhere.
#include "../check.h"

struct __attribute__((packed)) record {
    char tag;
    float value;
    short count;
    double sum;
};

__global__ void update(record *records)
{
    record r = records[threadIdx.x];
    r.value += r.tag;
    r.count++;
    records[threadIdx.x] = r;
    records[threadIdx.x].sum *= 2;
}

int main(void)
{
    static record h_records[40];
    for (int i = 0; i < 40; i++) h_records[i] = {(char)i, 0.5f, (short)i, i * 1.5};
    record *d_records = device_copy(h_records);
    update<<<1, 40>>>(d_records);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_records, d_records, sizeof h_records, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 40; i++)
        if (h_records[i].value != i + 0.5f || h_records[i].count != i + 1 ||
            h_records[i].sum != i * 3.0)
            failures++;
    return finish();
}
