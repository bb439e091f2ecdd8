"""Mathematical functions in the kernel language itself: the same bits on every device.

Each file holds `<name>_f32` and `<name>_f64`. They use only operations that are exact or rounded once, and say `math.fma`
where they fuse, so that no option changes a result. Polynomials interpolate the exact function at Chebyshev nodes, which is near the least
possible error; `benchmarks/ulp.py` measures every function against mpmath.
"""
