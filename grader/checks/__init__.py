"""The checks of a grade: one module for each kind."""
