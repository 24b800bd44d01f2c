"""What one grade costs: seconds until a student reads something, and processor seconds by stage."""
