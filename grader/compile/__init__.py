"""Compiles a submission with the lab's runner, and explains what the compiler says."""
