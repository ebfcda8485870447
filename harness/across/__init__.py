"""Several campaigns beside each other: what they share, what they differ in, and how their times compare."""
