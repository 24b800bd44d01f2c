"""Probes whether the sandbox isolates submissions, before any of them runs."""
