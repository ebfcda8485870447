"""Apps: kernels taken from multiphysics applications."""
