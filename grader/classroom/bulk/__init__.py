"""Grades a class at once: collects the submissions and hands them to worker processes."""
