"""The workflow: rules, and the Python that plans and checks it."""
