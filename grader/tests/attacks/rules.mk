# Every attack made, and the table of what stopped each: grader/tests/attacks/RESULTS.md.

.PHONY: attacks
attacks: setup-dev runtime ## make every attack, and print what stopped it; fails if one gets through (5 minutes; ONLY=part of a name; UPDATE=yes: only new ones)
	$(Q)$(PYTHON) -m grader.tests.attacks $(if $(UPDATE),--update) $(if $(ONLY),'$(ONLY)')

.PHONY: attacks-unchecked
attacks-unchecked: setup-dev runtime ## make the attacks that the check of source and objects refuses, without it; print what stops them instead (5 minutes; ONLY=part of a name)
	$(Q)$(PYTHON) -m grader.tests.attacks.unchecked $(if $(ONLY),'$(ONLY)')
