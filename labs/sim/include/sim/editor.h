/* CUDA C++ for an editor whose language server is clangd: no file is translated, and no CUDA is
 * installed. grader/compile/editor.py has the options; clang brings headers of its own for CUDA,
 * which need the C library's before them. */
#pragma once
#define SIM_EDITOR
#define __builtin_sincosf sincosf

#include "host_defines.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <new>
#include <tuple>

#pragma clang force_cuda_host_device begin
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "cooperative_groups.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "sim/min_max.h"
int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
#pragma clang force_cuda_host_device end
