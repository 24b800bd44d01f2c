/* An honest file: graphs. */
__global__ void step(float *data) { data[threadIdx.x] += 1.0f; }
cudaError_t replay(float *d_data, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    step<<<1, 32, 0, stream>>>(d_data);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    cudaGraphExecDestroy(executable);
    return cudaGraphDestroy(graph);
}
