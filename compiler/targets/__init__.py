"""Machines that kernels are lowered to: one record a target, and the emitters they share."""
