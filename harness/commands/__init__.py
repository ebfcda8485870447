"""The subcommands of `kparity`: one module each, with `add_parser` and `execute`."""
