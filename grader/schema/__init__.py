"""The JSON Schemas of what the grader writes, generated from the types."""
