"""Tests before a bulk run that the sandbox isolates submissions on this machine."""
