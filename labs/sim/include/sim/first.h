/* What every .cu file includes before its first line, as nvcc includes its header. It is
 * precompiled for graded files (the translator's --header). */
#ifdef __SANITIZE_THREAD__
#include <sim/builtins.h>
#endif
#include <cuda_runtime.h>
#if defined __SANITIZE_THREAD__ || defined SIM_LOCK_STEP
#include <sim/marks.h>
#endif
#ifdef SIM_LOCK_STEP
#include <sim/exchange.h>
#endif
