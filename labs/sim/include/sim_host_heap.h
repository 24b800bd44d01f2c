/* In a traced program calloc() and realloc() are functions of the simulator
 * (labs/sim/src/trace/host_heap.c), so that the checks know who has allocated what. Calls of
 * malloc() and free() are in sim_device_memory.h; here are those by address, as in
 * std::unique_ptr<float, decltype(&free)>. */
#pragma once

#ifdef __SANITIZE_THREAD__
#pragma redefine_extname calloc sim_host_calloc
#pragma redefine_extname realloc sim_host_realloc
#pragma redefine_extname malloc sim_host_malloc
#pragma redefine_extname free sim_host_free
#endif
