"""The checks, a file a group, and the table of them all."""
