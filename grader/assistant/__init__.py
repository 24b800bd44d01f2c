"""What an assistant, a language model, may ask of a student's own runs, and the protocol for it."""
