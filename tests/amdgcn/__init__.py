"""Executes AMDGPU code objects on any machine: each instruction as AMD's pseudocode defines it.

It says whether the bytes of a code object compute the right numbers. It knows no time, no caches and no weak memory
order: lanes of a wave run in step, waves of a group in turn between barriers, groups one after another.
"""
