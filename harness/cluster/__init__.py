"""Campaigns over the GPUs of a host and the nodes of a cluster: parts of walks, each on one device."""
