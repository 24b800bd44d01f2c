"""Decides the checks of a grade: one module for each kind (correct, safe, technique, speed)."""
