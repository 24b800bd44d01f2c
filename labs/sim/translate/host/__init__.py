"""Edits what the host does with a device: launches, calls of the runtime API."""
