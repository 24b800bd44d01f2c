"""Grades on several machines: batches of grades become tasks of a Slurm job array, and their
results come back as files on a folder that all machines share."""
