/* CUDA C++ for g++: what nvcc gives a .cu file, as far as the labs need it. */
#ifndef SIM_CUDA_RUNTIME_H
#define SIM_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_launch.h"
#include "sim_device.h"
#include "sim_symbols.h"
#include "vector_functions.h"

#endif
#endif
