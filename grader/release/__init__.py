"""The students' archive: what goes in, how it is packed, and the proof that no secret is in it.

An instructor's package: it is not in the archive itself.
"""
