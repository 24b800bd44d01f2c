/* An honest file: cooperative groups. */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void sums(const float *in, float *out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    float sum = in[block.thread_rank()];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += warp.shfl_down(sum, offset);
    block.sync();
    if (warp.thread_rank() == 0)
        out[warp.meta_group_rank()] = sum;
}
void launch(const float *in, float *out) { sums<<<1, 64>>>(in, out); }
