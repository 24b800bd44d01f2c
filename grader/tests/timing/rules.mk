# Experiments with the timing: commands, not tests. A copy without tests has no such file.

# Busy loops on every core while labs 1 and 8 are graded N times: grader/tests/timing/.
.PHONY: timing-experiment
N ?= 50
timing-experiment: setup
	$(Q)$(PYTHON) -m grader.tests.timing.experiment $(N) $(ONLY)

# How long a student waits for a grade of lab 3: after an edit, unchanged, with -k; N rounds.
.PHONY: bench-feedback
bench-feedback: N := 5
bench-feedback: setup runtime
	$(Q)$(PYTHON) grader/tests/timing/feedback.py $(N)
