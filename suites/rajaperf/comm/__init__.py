"""Comm: the halo of a cube of cells, packed, exchanged with neighbours, and unpacked."""
