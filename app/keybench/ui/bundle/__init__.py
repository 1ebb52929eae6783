"""Support bundles in the window: all of one is seen before it is saved."""
