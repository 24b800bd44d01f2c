"""What nvcc does with loops, and what it knows of values."""
