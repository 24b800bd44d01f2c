# CUDA programs of other projects, run unmodified on the simulator: a measurement, not a test.
.PHONY: programs hecbench programs-table
PROGRAMS := labs/tests/programs
programs: setup ## run the programs of labs/tests/programs/programs.csv: make programs FROM=folder
	$(Q)$(PYTHON) -m labs.tests.programs.run --from $(FROM) --csv $(PROGRAMS)/outcomes.csv
	@$(MAKE) programs-table
hecbench: setup ## run HeCBench's programs, as their Makefiles do: make hecbench FROM=folder
	$(Q)$(PYTHON) -m labs.tests.programs.hecbench --from $(FROM)
	@$(MAKE) programs-table
programs-table: setup
	$(Q)$(PYTHON) -m labs.tests.programs.table
