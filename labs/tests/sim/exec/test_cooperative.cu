// Cooperative groups, and what lanes of a warp match and reduce.
#include "../test_sim.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

#define FULL 0xffffffffu

static int h_out[4096];

// Runs a kernel that takes one array of 4096 ints; the result is in h_out.
template <class K> static void run(K kernel, dim3 block, int blocks = 1) {
    int *d_out;
    ck_success(cudaMalloc(&d_out, sizeof h_out));
    ck_success(cudaMemset(d_out, 0, sizeof h_out));
    kernel<<<blocks, block>>>(d_out);
    ck_success(cudaGetLastError());
    ck_success(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    ck_success(cudaFree(d_out));
}

__global__ void matches(int *d_out) {
    int t = threadIdx.x, all = 7;
    d_out[t] = (int)__match_any_sync(FULL, t / 5);
    d_out[32 + t] = (int)__match_any_sync(FULL, t % 2 ? 0.5f : -0.5f);
    d_out[64 + t] = (int)__match_all_sync(FULL, 3ll, &all);
    d_out[96 + t] = all;
    d_out[128 + t] = (int)__match_all_sync(FULL, t, &all);
    d_out[160 + t] = all;
    if (t < 8) {
        d_out[192 + t] = (int)__match_any_sync(0xffu, t & 1);
    }
}

TEST(lanes_match) {
    run(matches, 32);
    for (int t = 0; t < 32; t++) {
        int group = 0;
        for (int i = 0; i < 32; i++) {
            group |= i / 5 == t / 5 ? 1 << i : 0;
        }
        ck_assert_int_eq(h_out[t], group);
        ck_assert_int_eq(h_out[32 + t], t % 2 ? (int)0xaaaaaaaa : 0x55555555);
        ck_assert_int_eq(h_out[64 + t], -1);
        ck_assert_int_eq(h_out[96 + t], 1);
        ck_assert_int_eq(h_out[128 + t], 0);
        ck_assert_int_eq(h_out[160 + t], 0);
        ck_assert_int_eq(h_out[192 + t], t >= 8 ? 0 : t % 2 ? 0xaa : 0x55);
    }
}

__global__ void reductions(int *d_out) {
    int t = threadIdx.x;
    d_out[t] = __reduce_add_sync(FULL, t - 40);
    d_out[32 + t] = __reduce_min_sync(FULL, t - 40);
    d_out[64 + t] = __reduce_max_sync(FULL, t - 40);
    d_out[96 + t] = (int)__reduce_min_sync(FULL, (unsigned)(t - 4));
    d_out[128 + t] = (int)__reduce_and_sync(FULL, 0xf0u | (unsigned)t);
    d_out[160 + t] = (int)__reduce_or_sync(FULL, (unsigned)t);
    d_out[192 + t] = (int)__reduce_xor_sync(FULL, (unsigned)t * 3);
    d_out[224 + t] = (int)__reduce_max_sync(FULL, (unsigned)(t - 4));
    d_out[256 + t] = (int)__reduce_add_sync(FULL, 0xffffffffu);
}

TEST(lanes_reduce) {
    run(reductions, 32);
    int all_xor = 0;
    for (int t = 0; t < 32; t++) {
        all_xor ^= t * 3;
    }
    for (int t = 0; t < 32; t++) {
        ck_assert_int_eq(h_out[t], 496 - 1280);
        ck_assert_int_eq(h_out[32 + t], -40);
        ck_assert_int_eq(h_out[64 + t], -9);
        ck_assert_int_eq(h_out[96 + t], 0);
        ck_assert_int_eq(h_out[128 + t], 0xf0);
        ck_assert_int_eq(h_out[160 + t], 31);
        ck_assert_int_eq(h_out[192 + t], all_xor);
        ck_assert_int_eq(h_out[224 + t], -1);
        ck_assert_int_eq(h_out[256 + t], -32);
    }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
__global__ void old_functions(int *d_out) {
    int t = threadIdx.x;
    d_out[t] = __shfl(t, 3) + __shfl_up(t, 1) + __shfl_down(t, 1) + __shfl_xor(t, 1);
    d_out[32 + t] = __any(t == 4) * 10 + __all(t < 32);
    if (t < 8) {
        d_out[64 + t] = (int)__ballot(t & 1); // of those that are here
    }
}
#pragma GCC diagnostic pop

TEST(functions_without_a_mask) {
    run(old_functions, 32);
    for (int t = 0; t < 32; t++) {
        int up = t > 0 ? t - 1 : 0, down = t < 31 ? t + 1 : 31;
        ck_assert_int_eq(h_out[t], 3 + up + down + (t ^ 1));
        ck_assert_int_eq(h_out[32 + t], 11);
        ck_assert_int_eq(h_out[64 + t], t < 8 ? 0xaa : 0);
    }
}

// A block of 50 threads: its last tile of 16 has two.
__global__ void tiles(int *d_out) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    auto quad = cg::tiled_partition<4>(tile);
    cg::thread_block_tile<16> plain = tile;
    unsigned t = block.thread_rank();
    int *at = d_out + 16 * t;
    at[0] =
        (int)(tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.meta_group_size());
    at[1] =
        (int)(quad.thread_rank() + 100 * quad.meta_group_rank() + 10000 * quad.meta_group_size());
    at[2] = (int)(plain.meta_group_rank() + 10 * plain.size());
    at[3] = tile.shfl((int)t, 1);
    at[4] = quad.shfl_down((int)t, 1);
    at[5] = quad.shfl_up((int)t, 1);
    at[6] = quad.shfl_xor((int)t, 1);
    at[7] = (int)quad.ballot(t % 2 == 0);
    at[8] = quad.any(t == 5) + 2 * quad.all(t < 48);
    at[9] = (int)quad.match_any(t / 2);
    at[10] = (int)block.num_threads();
    at[11] = (int)block.thread_index().x + 100 * (int)block.thread_index().y;
    cg::sync(block);
    cg::thread_group any = cg::tiled_partition(block, 8);
    any.sync();
    at[12] = (int)(any.thread_rank() + 100 * any.size());
    at[13] = (int)cg::this_thread().size() + (int)cg::this_thread().thread_rank();
}

TEST(tiles_of_a_block) {
    run(tiles, dim3(10, 5));
    for (int t = 0; t < 50; t++) {
        const int *at = h_out + 16 * t;
        int last = t >= 48; // these two are alone in their tiles
        ck_assert_int_eq(at[0], t % 16 + 100 * (t / 16) + 40000);
        ck_assert_int_eq(at[1], t % 4 + 100 * (t % 16 / 4) + 40000);
        ck_assert_int_eq(at[2], t / 16 + 160);
        ck_assert_int_eq(at[3], t / 16 * 16 + 1);
        if (!last) {
            ck_assert_int_eq(at[4], t % 4 < 3 ? t + 1 : t);
            ck_assert_int_eq(at[7], 5);
        }
        ck_assert_int_eq(at[5], t % 4 > 0 ? t - 1 : t);
        ck_assert_int_eq(at[6], t ^ 1);
        ck_assert_int_eq(at[8], (t / 4 == 1) + 2 * !last);
        ck_assert_int_eq(at[9], t % 4 < 2 ? 3 : 12);
        ck_assert_int_eq(at[10], 50);
        ck_assert_int_eq(at[11], t % 10 + 100 * (t / 10));
        ck_assert_int_eq(at[12], t % 8 + 100 * (last ? 2 : 8));
        ck_assert_int_eq(at[13], 1);
    }
}

struct pair {
    double least;
    long long at[3];
};

__global__ void group_reductions(int *d_out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto eight = cg::tiled_partition<8>(warp);
    int t = threadIdx.x;
    d_out[t] = cg::reduce(warp, t, cg::plus<int>());
    d_out[32 + t] = cg::reduce(eight, t, cg::greater<int>());
    d_out[64 + t] = cg::reduce(eight, t, cg::less<int>());
    d_out[96 + t] = (int)cg::reduce(eight, 1u << t % 8, cg::bit_or<unsigned>());
    pair mine = {(double)((t * 7) % 32), {t, 0, -t}};
    pair best = cg::reduce(warp, mine, [](const pair &a, const pair &b) {
        return a.least < b.least || (a.least == b.least && a.at[0] < b.at[0]) ? a : b;
    });
    d_out[128 + t] = (int)(best.at[0] - best.at[2]);
    d_out[160 + t] = cg::inclusive_scan(eight, t % 8);
    d_out[192 + t] = cg::exclusive_scan(eight, t % 8, cg::plus<int>());
    d_out[224 + t] = cg::inclusive_scan(warp, (t * 7) % 32, cg::greater<int>());
    float x = 1.0f / (float)(t + 1), sum = x;
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(FULL, sum, step);
    }
    d_out[256 + t] = cg::reduce(warp, x, cg::plus<float>()) == sum; // to the last bit
    pair moved = warp.shfl(mine, 9);
    d_out[288 + t] = (int)(moved.at[2] + (long long)moved.least);
    d_out[320 + t] = cg::invoke_one_broadcast(eight, [](int a) { return a + 1; }, t);
}

TEST(groups_reduce_and_scan) {
    run(group_reductions, 32);
    int greatest = 0;
    for (int t = 0; t < 32; t++) {
        greatest = (t * 7) % 32 > greatest ? (t * 7) % 32 : greatest;
        ck_assert_int_eq(h_out[t], 496);
        ck_assert_int_eq(h_out[32 + t], t / 8 * 8 + 7);
        ck_assert_int_eq(h_out[64 + t], t / 8 * 8);
        ck_assert_int_eq(h_out[96 + t], 255);
        ck_assert_int_eq(h_out[128 + t], 0);
        ck_assert_int_eq(h_out[160 + t], (t % 8) * (t % 8 + 1) / 2);
        ck_assert_int_eq(h_out[192 + t], (t % 8) * (t % 8 - 1) / 2);
        ck_assert_int_eq(h_out[224 + t], greatest);
        ck_assert_int_eq(h_out[256 + t], 1);
        ck_assert_int_eq(h_out[288 + t], -9 + 63 % 32);
        ck_assert_int_eq(h_out[320 + t], t / 8 * 8 + 1);
    }
}

// The aggregated increment: one atomic function for the lanes of a branch.
__device__ int aggregated(int *counter) {
    cg::coalesced_group active = cg::coalesced_threads();
    int before = 0;
    if (active.thread_rank() == 0) {
        before = atomicAdd(counter, (int)active.size());
    }
    return active.shfl(before, 0) + (int)active.thread_rank();
}

__global__ void coalesced(int *d_out) {
    int t = threadIdx.x;
    if (t % 3 == 1) {
        d_out[100 + aggregated(&d_out[0])] = t;
        cg::coalesced_group active = cg::coalesced_threads();
        d_out[200 + t] = (int)active.ballot(t % 2);
        d_out[300 + t] = active.shfl_down(t, 2) + active.shfl_up(t, 1);
        d_out[400 + t] = cg::reduce(active, t, cg::plus<int>());
        d_out[500 + t] = cg::exclusive_scan(active, 1);
        auto odd = cg::binary_partition(active, t % 2);
        d_out[600 + t] =
            (int)(odd.size() + 100 * odd.meta_group_rank() + 1000 * odd.meta_group_size());
        auto label = cg::labeled_partition(active, t / 10);
        d_out[700 + t] =
            (int)(label.size() + 100 * label.meta_group_rank() + 1000 * label.meta_group_size());
        auto part = cg::tiled_partition(active, 4);
        d_out[800 + t] =
            (int)(part.thread_rank() + 10 * part.size() + 100 * part.meta_group_rank());
    }
}

TEST(lanes_of_a_branch) {
    run(coalesced, 32);
    ck_assert_int_eq(h_out[0], 11);
    for (int rank = 0; rank < 11; rank++) {
        int t = 3 * rank + 1, label = t / 10;
        int labelled = label == 3 ? 1 : label == 0 ? 3 : label == 1 ? 4 : 3;
        ck_assert_int_eq(h_out[100 + rank], t);
        ck_assert_int_eq(h_out[200 + t], 0x555);
        ck_assert_int_eq(h_out[300 + t], (rank + 2 < 11 ? t + 6 : t) + (rank > 0 ? t - 3 : t));
        ck_assert_int_eq(h_out[400 + t], 3 * 55 + 11);
        ck_assert_int_eq(h_out[500 + t], rank);
        ck_assert_int_eq(h_out[600 + t], (t % 2 ? 6 + 100 : 5) + 2000);
        ck_assert_int_eq(h_out[700 + t] / 100, label + 40);
        ck_assert_int_eq(h_out[700 + t] % 100, labelled);
        ck_assert_int_eq(h_out[800 + t], rank % 4 + 10 * (rank < 8 ? 4 : 3) + 100 * (rank / 4));
    }
}

__global__ void copies(int *d_out) {
    __shared__ int s_a[100], s_b[100];
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    for (int i = (int)block.thread_rank(); i < 100; i += (int)block.size()) {
        d_out[i] = i * i;
    }
    block.sync();
    cg::memcpy_async(block, s_a, d_out, sizeof s_a);
    cg::memcpy_async(block, s_b, 99, d_out + 1, 120);
    cg::wait(block);
    int t = threadIdx.x;
    d_out[200 + t] = s_a[99 - t] + s_b[t];
    d_out[300 + t] = grid.is_valid() + (int)grid.size() + (int)cg::this_cluster().num_blocks();
    cg::invoke_one(block, [&] { d_out[400] += 1; });
}

TEST(copies_of_a_group) {
    run(copies, 64);
    for (int t = 0; t < 64; t++) {
        ck_assert_int_eq(h_out[200 + t], (99 - t) * (99 - t) + (t + 1) * (t + 1));
        ck_assert_int_eq(h_out[300 + t], 65);
    }
    ck_assert_int_eq(h_out[400], 1);
}

__global__ void large_tiles(int *d_out) {
    __shared__ cg::block_tile_memory<256> scratch;
    __shared__ int s_values[256];
    cg::thread_block block = cg::this_thread_block(scratch);
    auto tile = cg::tiled_partition<64>(block);
    int t = threadIdx.x;
    d_out[t] = cg::reduce(tile, t, cg::plus<int>());
    d_out[256 + t] = tile.shfl(t, 40);
    d_out[512 + t] = tile.any(t == 70) + 2 * tile.all(t != 70);
    if (tile.meta_group_rank() != 1) { // the others do not wait for this one
        s_values[t] = t;
        tile.sync();
        d_out[768 + t] = s_values[t ^ 33];
    }
    auto whole = cg::tiled_partition<256>(block);
    d_out[1024 + t] = cg::reduce(whole, t % 2 ? 3 : t, cg::greater<int>());
    d_out[1280 + t] = (int)(tile.thread_rank() + 100 * tile.meta_group_size());
    d_out[1536 + t] = cg::reduce(cg::tiled_partition<32>(tile), 1, cg::plus<int>());
}

TEST(tiles_of_several_warps) {
    run(large_tiles, 256, 2);
    for (int t = 0; t < 256; t++) {
        int first = t / 64 * 64;
        ck_assert_int_eq(h_out[t], 64 * first + 63 * 32);
        ck_assert_int_eq(h_out[256 + t], first + 40);
        ck_assert_int_eq(h_out[512 + t], first == 64 ? 1 : 2);
        ck_assert_int_eq(h_out[768 + t], first == 64 ? 0 : t ^ 33);
        ck_assert_int_eq(h_out[1024 + t], 254);
        ck_assert_int_eq(h_out[1280 + t], t % 64 + 400);
        ck_assert_int_eq(h_out[1536 + t], 32);
    }
}

// A function that takes any group.
static __device__ int sum_of_any(cg::thread_group group, int *values, int value) {
    int rank = (int)group.thread_rank();
    for (int i = (int)group.size() / 2; i > 0; i /= 2) {
        values[rank] = value;
        group.sync();
        value += rank < i ? values[rank + i] : 0;
        group.sync();
    }
    return value;
}
__global__ void any_groups(int *d_out) {
    __shared__ int s_values[128];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> small = cg::tiled_partition<16>(block);
    int t = threadIdx.x;
    d_out[t] = sum_of_any(block, s_values, t);
    d_out[128 + t] = sum_of_any(small, s_values + t / 16 * 16, t);
}

TEST(tiles_become_any_group) {
    run(any_groups, 128);
    ck_assert_int_eq(h_out[0], 127 * 64);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(h_out[128 + 16 * i], 256 * i + 120);
    }
}

enum { WRONG_MASK = __LINE__ + 4 };
__global__ void outside_of_its_mask(int *d_out) {
    int t = threadIdx.x;
    if (t < 16) {
        __syncwarp(0xff);
    }
    d_out[t] = t;
}
static void run_outside() {
    int *d_out = device_array<int>(4096);
    outside_of_its_mask<<<1, 32>>>(d_out);
    ck_success(cudaDeviceSynchronize());
    ck_success(cudaFree(d_out));
}

TEST(a_lane_outside_of_its_mask_is_named) {
    struct outcome outcome = run_program(run_outside, NULL);
    ck_assert_int_eq(outcome.status, 0);
    ck_found(outcome, "barrier-divergence", "case:outside-mask value:8 mask:255");
    char line[64];
    snprintf(line, sizeof line, "line:%d", WRONG_MASK);
    ck_found(outcome, "barrier-divergence", line);
}

// The instructions have no mask: what a device gives where all lanes call, and where those of the
// mask have gone another way.
__global__ void not_in_the_mask(int *d_out) {
    const int t = threadIdx.x, mine = 10 * t;
    d_out[t] = __shfl_up_sync(0x0000ffff, mine, 16);
    d_out[32 + t] = (int)__ballot_sync(0x0000ffff, t % 4 == 1);
    d_out[64 + t] =
        t < 16 ? __shfl_sync(0x0000ffff, mine, 3) : __shfl_xor_sync(0x000000ff, mine, 1);
}
TEST(lanes_outside_of_their_mask_take_part) {
    run(not_in_the_mask, 32);
    for (int t = 0; t < 32; t++) {
        ck_assert_int_eq(h_out[t], 10 * (t % 16));
        ck_assert_uint_eq((unsigned)h_out[32 + t], 0x22222222u);
        ck_assert_int_eq(h_out[64 + t], t < 16 ? 30 : 10 * (t ^ 1));
    }
}

SUITE("sim: cooperative groups")
