"""CUDA devices, through the driver API."""
