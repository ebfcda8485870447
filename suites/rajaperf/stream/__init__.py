"""Stream: the five kernels of the STREAM benchmark family, bound by memory bandwidth."""
