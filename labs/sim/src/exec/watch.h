/* Looks at the kernels that run, from a host thread of its own. A thread of a kernel that waits in
 * a loop for another one keeps it from running: such a thread is interrupted. Only in plain
 * programs; in a traced one trace/ sees each read.
 *
 * When a signal or CONVLABS_SIM_LIMIT ends the program, it says which kernel ran, and where. */
#pragma once

/* A launch begins on this host thread: it is watched. */
void sim_watch_begin(void);
