"""What is proven of a kernel before code is made of it."""
