"""What the doctor asks in child processes: one module a probe, each with `stages()`, which yields (stage, facts)."""
