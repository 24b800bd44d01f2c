"""Decides before a submission runs what its code may do."""
