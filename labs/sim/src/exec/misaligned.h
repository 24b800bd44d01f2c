/* Vectors at addresses where a device stops, in a plain `./grade run`. */
#pragma once

/* From now on they end the kernel, with a report. */
void sim_catch_misaligned(void);
