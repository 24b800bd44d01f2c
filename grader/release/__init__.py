"""The students' archive: which files, how they are packed, and the check that no secret is in it.

Only the instructor has this package: the archive does not contain it.
"""
