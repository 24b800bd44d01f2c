/* In a traced program calloc() and realloc() are functions of the simulator
 * (labs/sim/src/trace/host_heap.c), so that the checks know who has allocated what. For malloc() and
 * free() see sim_device_memory.h. */
#ifndef SIM_HOST_HEAP_H
#define SIM_HOST_HEAP_H

#ifdef __SANITIZE_THREAD__
#pragma redefine_extname calloc sim_host_calloc
#pragma redefine_extname realloc sim_host_realloc
#endif

#endif
