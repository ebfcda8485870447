"""Basic: small kernels, each with one feature of interest."""
