"""The published JSON Schemas, made from the types."""
