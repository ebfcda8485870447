"""The gate: is a campaign as right, as safe and as fast as the one before it, and if not, what is the cause."""
