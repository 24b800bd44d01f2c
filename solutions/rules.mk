# The starters are written from the regions that the solutions mark: starters.py.
.PHONY: starters
starters: setup ## write starter/ anew from the solutions
	$(Q)$(PYTHON) solutions/starters.py
