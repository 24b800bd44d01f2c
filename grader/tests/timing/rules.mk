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
