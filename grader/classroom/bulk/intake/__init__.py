"""Finds the submissions in a folder and reads the files to grade; nothing in them is trusted."""
