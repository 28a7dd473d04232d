"""What makes a job run again, and how that is told."""
