"""The exit status of every command of ./grade."""

FULL_MARKS = 0  # of what was measured; also the status of a command that does not grade
LESS = 1  # less than full marks, a file that does not build, or an error that `run --check` found
USAGE = 2  # a command or an option that does not exist, or a file that is not there
FAULT = 3  # the grader or this machine is at fault, not the submission
LEAKED = 4  # `run --check` found nothing but memory or another object that is never freed
TIMED_OUT = 124  # `run` stopped the program at its time limit, as timeout(1) does
INTERRUPTED = 130  # by Ctrl-C, as in a shell
