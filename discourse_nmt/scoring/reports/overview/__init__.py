"""The first screens of the report: the headline, tables that fit, and pictures."""
