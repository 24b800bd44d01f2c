"""Writes what a lab has no file for: its driver, what is timed and its unit tests, in C"""
