/* The checks of a traced program, on when CONVLABS_SIM_CHECK is set: what compute-sanitizer's four
 * tools look for, and more. Findings name the instruction; who reads them finds its line.
 *
 *   check.c         what an access is checked for     check_place.c  whose memory an address is
 *   check_race.c    accesses that nothing orders      shadow.c       what is remembered of each
 * byte
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "check/racecheck.h"
#include "exec/thread.h"

/* The running thread is about to touch `bytes` bytes (any number for a copy of a structure). The
 * kernel ends here if the device would end it. `pc`: where the call returns to. */
void check_access(const void *address, size_t bytes, enum race_access how, const void *pc);

/* What trace.c hears of from the runtime. */
void check_begin(void);
void check_launch_begin(void);
void check_launch_end(void);
void check_block_begin(const struct worker *w);
void check_thread(unsigned t);

#endif
