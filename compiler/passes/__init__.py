"""IR to IR transformations between the checks and the lowering."""
