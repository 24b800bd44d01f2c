# Commands that measure the timing itself; no test runs them.

# Busy loops on every core while labs 1 and 8 are graded N times: timing.md.
.PHONY: timing-experiment
N ?= 50
timing-experiment: setup ## does noise decide a grade? N=50 gradings of each file (N / 2 minutes)
	$(Q)$(PYTHON) -m grader.tests.timing.experiment $(N) $(ONLY)

# How long a student waits for a grade of lab 3: after an edit, unchanged, with -k.
.PHONY: bench-feedback
bench-feedback: N := 5
bench-feedback: setup runtime ## how long a student waits for a grade of lab 3, N=5 times
	$(Q)$(PYTHON) grader/tests/timing/feedback.py $(N)

# 16 busy loops while all solutions are graded N times: busy.md.
.PHONY: busy
LOOPS ?= 16
busy: N := 20
busy: setup runtime ## does a busy machine change a grade? N=20 gradings of all solutions (15 N minutes)
	$(Q)$(PYTHON) -m grader.tests.timing.busy $(N) --loops $(LOOPS) $(ONLY)
