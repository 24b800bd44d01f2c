"""Runs untrusted commands within limits, and leaves nothing of them behind."""
