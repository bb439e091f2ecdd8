"""`oxidepy sanitize`: the interpreter under watch (`session`, `watch`, `races`, `memory`), or NVIDIA's compute-sanitizer (`external`)."""
