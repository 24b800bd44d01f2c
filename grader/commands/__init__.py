"""The commands of ./grade, one module each.

list, hint, doctor and setup run before anything is installed: they and what they import use the
standard library alone. The others declare their options for Typer. They are imported at every
start, so each imports what is slow (numpy, the pipeline) in the function that needs it.
"""
