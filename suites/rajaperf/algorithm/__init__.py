"""Algorithm: building blocks of other kernels, such as copies, reductions and scans."""
