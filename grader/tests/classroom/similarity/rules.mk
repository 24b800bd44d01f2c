# What ./grade similarity finds of planted copies, how long a class of 300 takes, and how much memory.
.PHONY: similarity-table
similarity-table: setup-dev ## likeness: copies found, false alarms, time and memory: its table (3 minutes)
	$(Q)$(PYTHON) -m grader.tests.classroom.similarity.table
