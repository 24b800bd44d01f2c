"""Marks the control flow of device functions."""
