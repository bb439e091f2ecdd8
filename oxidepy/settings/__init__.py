"""Our version, the registry of environment variables, the options of the compiler, `[tool.oxidepy]` of pyproject.toml."""
