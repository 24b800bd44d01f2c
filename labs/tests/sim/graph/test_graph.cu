// Graphs: built by calls, captured from streams, changed, and launched more than once.
#include "../test_sim.h"

__global__ void add(int *d, int value) {
    d[threadIdx.x] += value;
}

__global__ void multiply(int *d, int value) {
    d[threadIdx.x] *= value;
}

struct sizes {
    char c;
    double d;
    short s;
};

__global__ void three(int *d, sizes s, const int n) {
    d[0] = (int)s.d + s.c + s.s + n;
}

static int first_of(const int *d) {
    int h;
    ck_success(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    return h;
}

static void count_up(void *data) {
    ++*(int *)data;
}

/* d = ((d + 1) * 10 + 1), by nodes that are added in another order than that in which they run. */
TEST(explicit_nodes) {
    int *d, one = 1, ten = 10, two = 2, calls = 0, h = -1;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t clear, first, middle, last, back, host, nodes[8];
    ck_success(cudaMalloc(&d, 4));
    ck_success(cudaGraphCreate(&graph, 0));
    void *arguments[] = {&d, &one};
    cudaKernelNodeParams k = {};
    k.func = (void *)add;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = arguments;
    ck_success(cudaGraphAddKernelNode(&last, graph, NULL, 0, &k));
    cudaMemsetParams m = {};
    m.dst = d;
    m.value = 7;
    m.elementSize = 4;
    m.width = m.height = 1;
    ck_success(cudaGraphAddMemsetNode(&clear, graph, NULL, 0, &m));
    ck_success(cudaGraphAddKernelNode(&first, graph, &clear, 1, &k));
    k.func = (void *)multiply;
    arguments[1] = &ten;
    ck_success(cudaGraphAddKernelNode(&middle, graph, &first, 1, &k));
    ten = 99; // the node has copied it
    ck_success(cudaGraphAddDependencies(graph, &middle, &last, NULL, 1));
    ck_error(cudaGraphAddDependencies(graph, &middle, &last, NULL, 1), cudaErrorInvalidValue);
    ck_success(cudaGraphAddMemcpyNode1D(&back, graph, &last, 1, &h, d, 4, cudaMemcpyDeviceToHost));
    cudaHostNodeParams c = {count_up, &calls};
    ck_success(cudaGraphAddHostNode(&host, graph, &back, 1, &c));

    size_t count = 8;
    ck_success(cudaGraphGetNodes(graph, nodes, &count));
    ck_assert_uint_eq(count, 6);
    count = 0;
    ck_success(cudaGraphGetRootNodes(graph, NULL, &count));
    ck_assert_uint_eq(count, 1);
    cudaGraphNodeType type;
    ck_success(cudaGraphNodeGetType(host, &type));
    ck_assert_int_eq(type, cudaGraphNodeTypeHost);
    ck_success(cudaGraphKernelNodeGetParams(middle, &k));
    ck_assert_int_eq(*(int *)k.kernelParams[1], 10);

    ck_success(cudaGraphInstantiate(&exec, graph, 0));
    ck_success(cudaGraphLaunch(exec, 0));
    ck_success(cudaStreamSynchronize(0));
    ck_assert_int_eq(h, 81);
    ck_assert_int_eq(calls, 1);

    // A launch that is queued keeps its parameters; the next one has the new ones.
    cudaStream_t stream = new_stream();
    ck_success(cudaGraphLaunch(exec, stream));
    void *changed[] = {&d, &two};
    k.kernelParams = changed;
    ck_success(cudaGraphExecKernelNodeSetParams(exec, middle, &k));
    ck_success(cudaMemcpyAsync(nodes, d, 4, cudaMemcpyDeviceToHost, stream));
    ck_success(cudaStreamSynchronize(stream));
    ck_assert_int_eq(h, 81);
    ck_success(cudaGraphLaunch(exec, stream));
    ck_success(cudaGraphLaunch(exec, 0)); // runs after the one before
    ck_success(cudaDeviceSynchronize());
    ck_assert_int_eq(h, 17);
    ck_assert_int_eq(calls, 4);

    h = -1;
    ck_success(cudaGraphLaunch(exec, stream));
    ck_success(cudaGraphExecDestroy(exec)); // the launch still runs
    ck_success(cudaGraphDestroy(graph));
    ck_success(cudaDeviceSynchronize());
    ck_assert_int_eq(h, 17);
    ck_error(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
    ck_error(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    ck_success(cudaFree(d));
}

TEST(children_clones_and_circles) {
    int *d, one = 1;
    cudaGraph_t inner, outer, copy;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, a, b, other;
    ck_success(cudaMalloc(&d, 4));
    ck_success(cudaMemset(d, 0, 4));
    ck_success(cudaGraphCreate(&inner, 0));
    void *arguments[] = {&d, &one};
    cudaKernelNodeParams k = {};
    k.func = (void *)add;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = arguments;
    ck_success(cudaGraphAddKernelNode(&node, inner, NULL, 0, &k));
    ck_success(cudaGraphCreate(&outer, 0));
    ck_success(cudaGraphAddChildGraphNode(&a, outer, NULL, 0, inner));
    ck_success(cudaGraphAddChildGraphNode(&b, outer, &a, 1, inner));
    ck_error(cudaGraphAddEmptyNode(&other, outer, &node, 1), cudaErrorInvalidValue);
    ck_success(cudaGraphClone(&copy, outer));
    ck_success(cudaGraphDestroy(inner));
    ck_success(cudaGraphInstantiate(&exec, copy));
    ck_success(cudaGraphLaunch(exec, 0));
    ck_assert_int_eq(first_of(d), 2);
    ck_success(cudaGraphExecDestroy(exec));

    ck_success(cudaGraphAddDependencies(outer, &b, &a, NULL, 1));
    ck_error(cudaGraphInstantiate(&exec, outer), cudaErrorInvalidValue);
    ck_success(cudaGraphDestroy(outer));
    ck_success(cudaGraphDestroy(copy));
    ck_success(cudaFree(d));
}

/* Two streams: the capture forks and joins. */
static cudaGraph_t fork_and_join(cudaStream_t s, cudaStream_t t, int *d, int *e, int *h) {
    cudaGraph_t graph;
    cudaEvent_t fork, join;
    ck_success(cudaEventCreate(&fork));
    ck_success(cudaEventCreate(&join));
    ck_success(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(d, 1);
    ck_success(cudaEventRecord(fork, s));
    ck_success(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 1, 0, t>>>(e, 2);
    multiply<<<1, 1, 0, s>>>(d, 10);
    ck_success(cudaEventRecord(join, t));
    ck_error(cudaEventQuery(join), cudaErrorCapturedEvent);
    ck_success(cudaStreamWaitEvent(s, join, 0));
    ck_success(cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, s));
    ck_success(cudaMemcpyAsync(h + 1, e, 4, cudaMemcpyDeviceToHost, s));
    cudaStreamCaptureStatus status;
    ck_success(cudaStreamIsCapturing(t, &status));
    ck_assert_int_eq(status, cudaStreamCaptureStatusActive);
    ck_success(cudaStreamEndCapture(s, &graph));
    ck_success(cudaStreamIsCapturing(t, &status));
    ck_assert_int_eq(status, cudaStreamCaptureStatusNone);
    ck_success(cudaEventDestroy(fork));
    ck_success(cudaEventDestroy(join));
    return graph;
}

TEST(captures) {
    int h[2] = {-1, -1}, in = 5;
    cudaGraphExec_t exec;
    cudaStream_t s = new_stream(), t = new_stream(cudaStreamNonBlocking);
    int *d = device_zeros<int>(4), *e = device_zeros<int>(4);
    cudaGraph_t graph = fork_and_join(s, t, d, e, h);
    ck_success(cudaDeviceSynchronize());
    ck_assert_int_eq(h[0], -1); // captured, not run
    size_t nodes = 0;
    ck_success(cudaGraphGetNodes(graph, NULL, &nodes));
    ck_assert_uint_eq(nodes, 5);
    ck_success(cudaGraphInstantiate(&exec, graph));
    for (int i = 0; i < 3; i++) {
        ck_success(cudaGraphLaunch(exec, t));
    }
    ck_success(cudaStreamSynchronize(t));
    ck_assert_int_eq(h[0], 1110);
    ck_assert_int_eq(h[1], 6);

    // An update takes the new kernels' arguments; other nodes are refused.
    cudaGraph_t other = fork_and_join(s, t, e, d, h);
    cudaGraphExecUpdateResultInfo information;
    ck_success(cudaGraphExecUpdate(exec, other, &information));
    ck_success(cudaMemset(d, 0, 4));
    ck_success(cudaMemset(e, 0, 4));
    ck_success(cudaGraphLaunch(exec, s));
    ck_success(cudaStreamSynchronize(s));
    ck_assert_int_eq(h[0], 10);
    ck_assert_int_eq(first_of(d), 2);
    ck_success(cudaGraphDestroy(other));

    // A graph reads pageable memory when it runs, not when it is captured.
    ck_success(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    ck_success(cudaMemcpyAsync(d, &in, 4, cudaMemcpyHostToDevice, s));
    ck_success(cudaStreamEndCapture(s, &other));
    ck_error(cudaGraphExecUpdate(exec, other, &information), cudaErrorGraphExecUpdateFailure);
    ck_assert_int_ne(information.result, cudaGraphExecUpdateSuccess);
    ck_success(cudaGraphExecDestroy(exec));
    ck_success(cudaGraphInstantiate(&exec, other));
    in = 6;
    ck_success(cudaGraphLaunch(exec, s));
    ck_success(cudaStreamSynchronize(s));
    ck_assert_int_eq(first_of(d), 6);
    ck_success(cudaGraphExecDestroy(exec));
    ck_success(cudaGraphDestroy(other));
    ck_success(cudaGraphDestroy(graph));
}

TEST(capture_refuses_unsupported_calls) {
    cudaGraph_t graph;
    cudaStream_t s = new_stream(), t = new_stream();
    cudaEvent_t event = new_event();
    int *d = device_array<int>(4);
    ck_error(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal),
             cudaErrorStreamCaptureUnsupported);
    ck_error(cudaStreamEndCapture(s, &graph), cudaErrorIllegalState);

    ck_success(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ck_error(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
    ck_error(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    ck_error(cudaMemcpyAsync(d, d, 4, cudaMemcpyDeviceToDevice, s),
             cudaErrorStreamCaptureInvalidated);
    ck_error(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    ck_assert_ptr_null(graph);

    ck_success(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); // never joined
    add<<<1, 1, 0, s>>>(d, 1);
    ck_success(cudaEventRecord(event, s));
    ck_success(cudaStreamWaitEvent(t, event));
    add<<<1, 1, 0, t>>>(d, 1);
    ck_error(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureUnjoined);

    ck_success(cudaEventRecord(event, t)); // before the capture
    ck_success(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ck_error(cudaStreamWaitEvent(s, event), cudaErrorStreamCaptureIsolation);
    ck_error(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);

    ck_success(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ck_error(cudaMemset(d, 0, 4), cudaErrorStreamCaptureImplicit); // in the legacy stream
    ck_error(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    ck_success(cudaMemset(d, 0, 4));
    cudaGetLastError();
}

/* Memory that a graph allocates and frees: every launch has it at the same address. */
TEST(memory_in_a_graph) {
    int *d, h = 0;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStream_t s = new_stream();
    ck_success(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ck_success(cudaMallocAsync(&d, 4, s));
    ck_success(cudaMemsetAsync(d, 0, 4, s));
    add<<<1, 1, 0, s>>>(d, 3);
    ck_success(cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, s));
    ck_success(cudaFreeAsync(d, s));
    ck_error(cudaFreeAsync(d, s), cudaErrorInvalidValue);
    ck_success(cudaStreamEndCapture(s, &graph));
    ck_success(cudaGraphInstantiate(&exec, graph));
    ck_success(cudaGraphLaunch(exec, s));
    ck_success(cudaGraphLaunch(exec, s));
    ck_success(cudaStreamSynchronize(s));
    ck_assert_int_eq(h, 3);
    ck_success(cudaGraphExecDestroy(exec));
    ck_success(cudaGraphDestroy(graph));
    ck_error(cudaFree(d), cudaErrorInvalidValue);
}

TEST(launches_by_address) {
    int *d, n = 7, value = 4;
    sizes s = {1, 2.5, 3};
    ck_success(cudaMalloc(&d, 32 * sizeof *d));
    void *arguments[] = {&d, &s, &n};
    ck_success(cudaLaunchKernel((void *)three, dim3(1), dim3(1), arguments, 0, 0));
    ck_assert_int_eq(first_of(d), 2 + 1 + 3 + 7);
    ck_success(cudaLaunchKernel(three, dim3(1), dim3(1), arguments));
    arguments[1] = NULL;
    ck_error(cudaLaunchKernel(three, dim3(1), dim3(1), arguments), cudaErrorInvalidValue);
    ck_error(cudaLaunchKernel(&n, dim3(1), dim3(1), arguments), cudaErrorInvalidResourceHandle);

    ck_success(cudaMemset(d, 0, 32 * sizeof *d));
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    ck_success(cudaLaunchKernelEx(&config, add, d, 2.9f)); // converted, as in <<<>>>
    config.numAttrs = 1;
    ck_error(cudaLaunchKernelEx(&config, add, d, value), cudaErrorNotSupported);
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    ck_success(cudaLaunchKernelEx(&config, add, d, value));
    ck_assert_int_eq(first_of(d), 6);
    config.blockDim = dim3(1025);
    ck_error(cudaLaunchKernelEx(&config, add, d, value), cudaErrorInvalidConfiguration);
    ck_error(cudaGetLastError(), cudaErrorInvalidConfiguration);
    ck_success(cudaFree(d));
}

static void leave_graphs() {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaGraphCreate(&graph, 0);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaMemPoolCreate(&pool, &props);
}

static void leave_a_captured_graph() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaStreamEndCapture(stream, &graph);
    cudaStreamDestroy(stream);
}

static void leave_nothing() {
    cudaStream_t stream;
    cudaGraph_t graph, copy, child;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphCreate(&child, 0);
    cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child);
    cudaGraphClone(&copy, graph);
    cudaGraphInstantiate(&exec, copy, 0);
    cudaGraphLaunch(exec, stream);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(child);
    cudaGraphDestroy(copy);
    cudaGraphDestroy(graph);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); // and never ends
    cudaStreamDestroy(stream);
    cudaGraphCreate(&graph, 0);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    cudaDeviceReset(); // destroys what was instantiated
}

TEST(graph_leaks_are_found) {
    struct outcome outcome = run_program(leave_graphs, NULL);
    ck_found(outcome, "leak", "case:graph");
    ck_found(outcome, "leak", "case:graph-exec");
    ck_found(outcome, "leak", "case:pool");
    outcome = run_program(leave_a_captured_graph, NULL);
    ck_found(outcome, "leak", "case:graph");
    outcome = run_program(leave_nothing, NULL);
    ck_nothing_found(outcome);
}

SUITE("sim: graphs")
