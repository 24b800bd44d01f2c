"""The nouns of a grade: specs, submissions, results, findings and counters."""
