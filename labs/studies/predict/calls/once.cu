/* Calls a function once, on the simulator: once FUNCTION A B C D. */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int stop(const char *what) {
    fprintf(stderr, "once: %s\n", what);
    return 1;
}

int main(int count, char **arguments) {
    if (count != 6) {
        return stop("once FUNCTION A B C D");
    }
    struct call call = {};
    call.a = atoi(arguments[2]), call.b = atoi(arguments[3]);
    call.c = atoi(arguments[4]), call.d = atoi(arguments[5]);
    const struct function *function = call_functions;
    while (function->name != NULL && strcmp(function->name, arguments[1]) != 0) {
        function++;
    }
    if (function->name == NULL) {
        return stop("no such function");
    }
    const struct need need = function->need(&call);
    void *const h_mask = calloc(need.mask + 1, 1);
    void *d_in, *d_mask, *d_out, *d_between;
    if (h_mask == NULL || cudaMalloc(&d_in, need.in) || cudaMalloc(&d_mask, need.mask + 1) ||
        cudaMalloc(&d_out, need.out) || cudaMalloc(&d_between, need.between + 1)) {
        return stop("no memory");
    }
    call.d_in = d_in, call.d_mask = d_mask, call.d_out = d_out, call.d_between = d_between;
    if (function->prepare != NULL && function->prepare(&call, h_mask) != cudaSuccess) {
        return stop("prepare failed");
    }
    if (function->launch(&call) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
        return stop("launch failed");
    }
    free(h_mask);
    return 0;
}
