// The program ends without waiting for its host function.
#include "../../check.h"

static void report(void *text)
{
    printf("%s\n", (const char *)text);
}

int main(void)
{
    cudaStream_t stream = new_stream();
    CHECK(cudaLaunchHostFunc(stream, report, (void *)"all done"));  // BUG
    return finish();
}
