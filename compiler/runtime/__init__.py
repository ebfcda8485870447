"""What runs on the host: manifests, argument blocks, devices and the launch protocol."""
