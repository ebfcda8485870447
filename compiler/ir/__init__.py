"""The typed intermediate representation: nodes, operations, verifier."""
