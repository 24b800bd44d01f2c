// Graphs whose nodes allocate and free memory.
#include "../test_sim.h"

__global__ void add(int *d_at, int value) {
    *d_at += value;
}

static cudaMemAllocNodeParams ints(size_t count) {
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = count * sizeof(int);
    return p;
}

// A graph that allocates an int and sets it to `value`; the last node of both.
struct allocating_graph {
    cudaGraph_t graph;
    cudaGraphNode_t allocation, last;
    int *d;

    explicit allocating_graph(unsigned value) {
        ck_success(cudaGraphCreate(&graph, 0));
        cudaMemAllocNodeParams p = ints(1);
        ck_success(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &p));
        d = (int *)p.dptr;
        cudaMemsetParams m = {};
        m.dst = d;
        m.value = value;
        m.elementSize = 4;
        m.width = m.height = 1;
        ck_success(cudaGraphAddMemsetNode(&last, graph, &allocation, 1, &m));
    }
};

static int read(const int *d) {
    int h = -1;
    ck_success(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

TEST(a_graph_that_frees_its_memory) {
    allocating_graph g(40);
    int value = 2, h = 0;
    void *arguments[] = {&g.d, &value};
    cudaKernelNodeParams k = {};
    k.func = (void *)add;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = arguments;
    cudaGraphNode_t sum, back, end;
    ck_success(cudaGraphAddKernelNode(&sum, g.graph, &g.last, 1, &k));
    ck_success(cudaGraphAddMemcpyNode1D(&back, g.graph, &sum, 1, &h, g.d, 4, cudaMemcpyDefault));
    ck_success(cudaGraphAddMemFreeNode(&end, g.graph, &back, 1, g.d));
    ck_error(cudaGraphAddMemFreeNode(&end, g.graph, &end, 1, g.d), cudaErrorInvalidValue);

    cudaGraphNodeType type;
    ck_success(cudaGraphNodeGetType(g.allocation, &type));
    ck_assert_int_eq(type, cudaGraphNodeTypeMemAlloc);
    ck_success(cudaGraphNodeGetType(end, &type));
    ck_assert_int_eq(type, cudaGraphNodeTypeMemFree);

    cudaGraphExec_t exec;
    ck_success(cudaGraphInstantiate(&exec, g.graph));
    ck_error(cudaFreeAsync(g.d, 0), cudaErrorInvalidValue); // the graph frees it
    for (int i = 0; i < 3; i++) {
        ck_success(cudaGraphLaunch(exec, 0));
    }
    ck_success(cudaGraphDestroy(g.graph));
    ck_success(cudaGraphExecDestroy(exec)); // the launches are queued
    ck_success(cudaDeviceSynchronize());
    ck_assert_int_eq(h, 42);
    ck_error(cudaFree(g.d), cudaErrorInvalidValue);
}

TEST(memory_that_a_launch_leaves) {
    allocating_graph g(7);
    cudaGraphExec_t exec;
    ck_success(cudaGraphInstantiate(&exec, g.graph));
    ck_success(cudaGraphLaunch(exec, 0));
    ck_error(cudaGraphLaunch(exec, 0), cudaErrorInvalidValue); // nothing has freed it
    add<<<1, 1>>>(g.d, 1);
    ck_assert_int_eq(read(g.d), 8);
    ck_success(cudaFreeAsync(g.d, 0));
    ck_success(cudaGraphLaunch(exec, 0)); // before the device has freed it
    ck_error(cudaGraphLaunch(exec, 0), cudaErrorInvalidValue);
    add<<<1, 1>>>(g.d, 2);
    ck_assert_int_eq(read(g.d), 9);
    ck_success(cudaFree(g.d));
    ck_error(cudaFree(g.d), cudaErrorInvalidValue);
    ck_success(cudaGraphLaunch(exec, 0)); // after it
    ck_success(cudaGraphDestroy(g.graph));
    ck_success(cudaGraphExecDestroy(exec));
    ck_assert_int_eq(read(g.d), 7); // it outlives the graph
    ck_success(cudaFree(g.d));
}

TEST(memory_that_the_next_launch_frees) {
    allocating_graph g(7);
    cudaGraphExec_t exec;
    ck_success(cudaGraphInstantiate(&exec, g.graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    ck_success(cudaGraphLaunch(exec, 0));
    add<<<1, 1>>>(g.d, 1);
    ck_success(cudaGraphLaunch(exec, 0));
    ck_assert_int_eq(read(g.d), 7);
    ck_success(cudaFree(g.d));
    ck_success(cudaGraphExecDestroy(exec));
    ck_success(cudaGraphDestroy(g.graph));
}

TEST(memory_that_another_graph_frees) {
    allocating_graph g(7);
    cudaGraph_t freeing;
    cudaGraphNode_t end;
    cudaGraphExec_t first, second;
    ck_success(cudaGraphCreate(&freeing, 0));
    ck_success(cudaGraphAddMemFreeNode(&end, freeing, NULL, 0, g.d));
    ck_success(cudaGraphInstantiate(&first, g.graph));
    ck_success(cudaGraphInstantiate(&second, freeing));
    for (int i = 0; i < 2; i++) {
        ck_success(cudaGraphLaunch(first, 0));
        ck_assert_int_eq(read(g.d), 7);
        ck_error(cudaGraphLaunch(first, 0), cudaErrorInvalidValue);
        ck_success(cudaGraphLaunch(second, 0));
    }
    ck_success(cudaDeviceSynchronize());
    ck_error(cudaFree(g.d), cudaErrorInvalidValue);
    cudaGraph_t later; // a node may free memory that is free now
    ck_success(cudaGraphCreate(&later, 0));
    ck_success(cudaGraphAddMemFreeNode(&end, later, NULL, 0, g.d));
    ck_success(cudaGraphDestroy(later));
    ck_success(cudaGraphExecDestroy(first));
    ck_success(cudaGraphExecDestroy(second));
    ck_success(cudaGraphDestroy(g.graph));
    ck_success(cudaGraphDestroy(freeing));
}

TEST(memory_nodes_refuse_invalid_use) {
    allocating_graph g(0);
    cudaGraph_t other, copy;
    cudaGraphNode_t node;
    cudaGraphExec_t exec, again;
    int *d;
    ck_success(cudaGraphCreate(&other, 0));
    cudaMemAllocNodeParams p = ints(0);
    ck_error(cudaGraphAddMemAllocNode(&node, other, NULL, 0, &p), cudaErrorInvalidValue);
    p = ints(1);
    p.poolProps.location.id = 1;
    ck_error(cudaGraphAddMemAllocNode(&node, other, NULL, 0, &p), cudaErrorInvalidValue);
    p = ints(1);
    p.accessDescCount = 1;
    ck_error(cudaGraphAddMemAllocNode(&node, other, NULL, 0, &p), cudaErrorInvalidValue);
    p = ints(1);
    ck_error(cudaGraphAddMemAllocNode(&node, NULL, NULL, 0, &p), cudaErrorInvalidValue);
    ck_success(cudaMalloc(&d, 4));
    ck_error(cudaGraphAddMemFreeNode(&node, other, NULL, 0, d), cudaErrorInvalidValue);
    ck_error(cudaGraphAddMemFreeNode(&node, other, NULL, 0, NULL), cudaErrorInvalidValue);
    ck_success(cudaFree(d));
    ck_error(cudaGraphAddMemFreeNode(&node, other, NULL, 0, (char *)g.d + 1),
             cudaErrorInvalidValue);

    ck_error(cudaGraphClone(&copy, g.graph), cudaErrorNotSupported);
    ck_error(cudaGraphAddChildGraphNode(&node, other, NULL, 0, g.graph), cudaErrorNotSupported);
    ck_success(cudaGraphInstantiate(&exec, g.graph));
    ck_error(cudaGraphInstantiate(&again, g.graph), cudaErrorInvalidValue);
    ck_success(cudaGraphExecDestroy(exec));
    ck_success(cudaGraphInstantiate(&exec, g.graph));
    ck_success(cudaGraphExecDestroy(exec));
    ck_success(cudaGraphDestroy(g.graph));
    ck_success(cudaGraphDestroy(other));
}

static void never_launched(void) {
    allocating_graph g(1);
    cudaGraphDestroy(g.graph);
}

static void never_destroyed(void) {
    allocating_graph g(1);
}

static void launched_and_left(void) {
    allocating_graph g(1);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, g.graph);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(g.graph);
}

static void used_after_it_was_freed(void) {
    allocating_graph g(1);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, g.graph);
    cudaGraphLaunch(exec, 0);
    cudaFree(g.d);
    add<<<1, 1>>>(g.d, 1);
    cudaDeviceSynchronize();
}

TEST(findings) {
    struct outcome outcome = run_program(never_launched, NULL);
    ck_nothing_found(outcome);
    ck_finds(never_destroyed, "leak", "case:graph");
    ck_finds(launched_and_left, "leak", "case:memory space:device bytes:4");
    ck_finds(used_after_it_was_freed, "use-after-free", "kernel:add");
}

SUITE("sim: memory nodes of graphs")
