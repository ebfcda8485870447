"""Polybench: kernels of the polyhedral benchmark suite."""
