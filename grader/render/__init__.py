"""Renderers: each turns one canonical result into what somebody reads."""
