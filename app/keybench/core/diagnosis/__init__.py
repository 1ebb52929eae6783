"""Why something failed: what checks saw, which causes that speaks for, what is still open. All of it pure."""
