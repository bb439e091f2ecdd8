"""The CPU device: native code from the same IR, blocks on a pool of threads."""
