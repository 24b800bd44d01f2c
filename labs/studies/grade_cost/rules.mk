.PHONY: bench-grade
bench-grade: setup ## seconds of a grade, by stage (2 minutes on an idle machine; AGAINST=FOLDER: next to another checkout)
	$(Q)$(PYTHON) -m labs.studies.grade_cost $(AGAINST:%=--against %)
