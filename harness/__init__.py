"""Front door (being written)."""
