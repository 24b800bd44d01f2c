"""What is wrong with a run: the record of a finding, and the catalogue of sentences."""
