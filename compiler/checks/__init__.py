"""The checks: what must hold before a kernel is lowered, and the evidence that it does."""
