.PHONY: check-planted
check-planted: setup runtime ## what --check finds in programs with planted bugs: its table (2 minutes)
	$(Q)$(PYTHON) labs/studies/checks/table.py --write
