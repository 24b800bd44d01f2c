# The students' archive and the check of it. LABS="lab1 lab2": these labs alone; DIRTY=1: also what is
# not committed; COURSE=course.toml: what that allows assistants; VERSION=1.0.0: all files of a
# release, from its tag.
.PHONY: release release-check version
release release-check: setup ## the students' archive in dist/, once it is proved to hold no secret (4 minutes); release-check: the proof alone; VERSION=1.0.0: all files of a release
	$(if $(VERSION),@./grade setup --handouts)
	$(Q)allowed=explain; \
	$(if $(COURSE),allowed=$$($(PYTHON) -m grader.classroom.course.assistants '$(COURSE)') &&) \
	$(PYTHON) -m grader.release --assistants "$$allowed" $(if $(filter release-check,$@),--check) $(if $(DIRTY),--dirty) \
	    $(if $(findstring command,$(origin LABS)),--labs '$(LABS)') $(if $(VERSION),--version '$(VERSION)')
version: setup ## VERSION=1.0.0: gives the course this version, to commit and tag
	$(Q)$(PYTHON) -m grader.release.version '$(VERSION)'
