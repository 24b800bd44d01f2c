"""Grades one submission from start to score."""
