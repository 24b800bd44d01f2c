"""The layouts of downloads: one module for each learning management system or habit."""
