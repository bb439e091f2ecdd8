"""Kernel IR: types, operations, regions; printer, parser, verifier; the table of intrinsics; the interpreter that is its meaning."""
