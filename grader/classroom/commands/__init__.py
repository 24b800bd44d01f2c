"""The instructor's commands of ./grade: a module and a function of the same name for each;
grader/commands/ has the students'."""
