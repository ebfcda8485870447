"""What the code of both sides uses of a GPU, read from their object files and listings, without running anything."""
