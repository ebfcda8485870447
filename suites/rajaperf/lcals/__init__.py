"""Lcals: kernels of the Livermore Compiler Analysis Loop Suite."""
