# Commands that measure the timing itself; no test runs them.

# Busy loops on every core while labs 1 and 8 are graded N times: timing.md.
.PHONY: timing-experiment
N ?= 50
timing-experiment: setup ## does noise decide a grade? N=50 gradings of each file (N / 2 minutes)
	$(Q)$(PYTHON) -m grader.tests.timing.experiment $(N) $(ONLY)

# 16 busy loops while all solutions are graded N times: busy.md.
.PHONY: busy
LOOPS ?= 16
busy: N := 20
busy: setup runtime ## does a busy machine change a grade? N=20 gradings of all solutions (15 N minutes)
	$(Q)$(PYTHON) -m grader.tests.timing.busy $(N) --loops $(LOOPS) $(ONLY)
