"""Where nvcc makes other loads and stores than g++."""
