# Commands that measure the timing itself; no test runs them.

# Busy loops on every core while labs 1 and 8 are graded N times: timing.md.
.PHONY: timing-experiment
N ?= 50
timing-experiment: setup ## does noise decide a grade? N=50 gradings of each file (N / 2 minutes)
	$(Q)$(PYTHON) -m grader.tests.timing.experiment $(N) $(ONLY)
