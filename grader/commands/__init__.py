"""What ./grade can be told to do: one module a command, or a few that belong together.

A module that declares a command is imported at every start, so it imports what is slow (numpy, the
pipeline) in the function that needs it.
"""
