"""The grader of convlabs."""
