# The assembly of a program whose volatile accesses are in lock step (labs/sim/src/exec/lock_step.h).
#
# g++ reports volatile accesses, -fsanitize=thread --param tsan-distinguish-volatile=1, only
# together with all others. The calls for those are removed here. What stays gets names of its own,
# because in a traced program the same names stand for other functions.
/^\t(call|bl)\t__tsan_(unaligned_)?(read|write|vptr|init|func)/d
s/\b__tsan_volatile_/sim_volatile_/
s/\b__tsan_atomic/sim_plain_atomic/
