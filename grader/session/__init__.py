"""What the checks of one grading share: what is planned, built, found so far, and kept."""
