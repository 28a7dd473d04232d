"""The theme-rheme cache and its labellers (specification 05)."""
