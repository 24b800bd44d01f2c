"""What belongs to a class and not to a lab: its people, its rules about time, and its gradebook."""
