"""The command `oxidepy`: one file a command, which parses, calls and prints."""
