"""The driver of the line source → checked IR → artefact, through the cache."""
