"""The theme-rheme cache and its labellers (spec 05)."""
