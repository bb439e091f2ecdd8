"""Kernel IR as LLVM text, and LLVM itself behind one lock. What differs between targets is in the files beside this folder."""
