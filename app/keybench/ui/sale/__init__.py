"""The Sale test panel: the form, the outcome with its timeline, recent sales, exchanges."""
