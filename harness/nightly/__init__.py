"""The nightly run: one command that updates, runs, records, publishes, gates, prunes and shows."""
