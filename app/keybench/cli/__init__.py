"""The command line: everything a script or a runbook needs, without a window."""
