# The starters are written from the regions that the solutions mark: starters.py.
.PHONY: starters
starters: setup ## write starter/ from the solutions
	$(Q)$(PYTHON) solutions/starters.py
