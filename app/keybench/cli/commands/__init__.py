"""The commands, a module each; `keybench.cli.parser` imports the one that is given."""
