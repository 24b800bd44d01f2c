"""What is wrong with a run, as data: the record of a finding, and the one catalogue of sentences."""
