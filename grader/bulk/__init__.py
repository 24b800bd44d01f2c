"""Grades a folder of submissions: intake, worker processes, a store, reports."""
