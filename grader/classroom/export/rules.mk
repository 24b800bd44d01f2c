# Gradescope's autograder. LABS="lab1 lab2": these labs alone.
.PHONY: gradescope
gradescope: setup ## an autograder of the public checks for Gradescope, in dist/
	$(Q)$(PYTHON) -m grader.classroom.export.autograder_zip dist/convlabs-gradescope.zip \
	    $(if $(findstring command,$(origin LABS)),'$(LABS)')
