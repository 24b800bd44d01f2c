# The counters against Nsight Compute's, value by value: ACCURACY.md.
.PHONY: accuracy
accuracy: setup runtime ## the simulator's counters against those of an H200: their table
	$(Q)$(PYTHON) labs/studies/nsight/accuracy.py
