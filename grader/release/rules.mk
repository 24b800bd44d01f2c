# The students' archive and the check of it. LABS="lab1 lab2": these labs alone; DIRTY=1: also what is
# not committed; COURSE=course.toml: what that allows assistants.
.PHONY: release release-check
release release-check: setup ## the students' archive in dist/, once it is proved to hold no secret (4 minutes); release-check: the proof alone
	$(Q)allowed=explain; \
	$(if $(COURSE),allowed=$$($(PYTHON) -m grader.classroom.course.assistants '$(COURSE)') &&) \
	$(PYTHON) -m grader.release --assistants "$$allowed" $(if $(filter release-check,$@),--check) $(if $(DIRTY),--dirty) \
	    $(if $(findstring command,$(origin LABS)),--labs '$(LABS)')
