"""Fills the generated blocks of the handouts from files of the project; one module for each kind of
block."""
