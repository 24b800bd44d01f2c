/* What labs/studies/bench needs of a device, for Python's ctypes (device.py): memory, a clock, and what the
 * device can do at most. Each function returns 0 or the error of the CUDA call that failed. */
#ifndef CONVLABS_BENCH_DEVICE_H
#define CONVLABS_BENCH_DEVICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

int device_allocate(size_t bytes, void **d_memory);
int device_free(void *d_memory);
int device_write(void *d_to, const void *from, size_t bytes);
int device_read(void *to, const void *d_from, size_t bytes);
/* Sets all bytes to 0xff: a NaN, or white. */
int device_poison(void *d_memory, size_t bytes);
/* Queues what reads and writes so many bytes of the device's memory, each once, in vectors of 16: a
 * copy where both are equal. */
int device_copy(void *d_to, size_t written, const void *d_from, size_t read);
/* Host memory that the device can copy from and to directly. */
int device_pinned(size_t bytes, void **h_memory);
int device_pinned_free(void *h_memory);
/* Pins and unpins memory that exists. */
int device_pin(void *h_memory, size_t bytes);
int device_unpin(void *h_memory);
int device_wait(void);

/* Nanoseconds on the device from device_begin() to the end of what was queued before device_end(),
 * which waits for it. Both are in the default stream. */
int device_begin(void);
int device_end(double *ns);

/* Multiply-adds a second of the whole device in registers: of floats, of doubles, and of doubles on
 * tensor cores, where the device has such (compute capability 9.0). */
int device_float_rate(double *rate);
int device_double_rate(double *rate);
int device_tensor_rate(double *rate);

#ifdef __cplusplus
}
#endif

#endif
