"""What this machine can do for oxidepy: one function a check, a list of results, renderers."""
