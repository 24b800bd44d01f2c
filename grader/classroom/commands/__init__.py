"""The instructor's commands of ./grade, one module each; grader/commands/ has the students'."""
