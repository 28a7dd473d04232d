"""The reasons for which a job runs again, and their display."""
