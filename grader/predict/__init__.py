"""Predicts how long a kernel runs on a GPU, from what the simulator counts."""
