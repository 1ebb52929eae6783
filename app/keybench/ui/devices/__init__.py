"""The Devices page: the environment's devices, and sales on many of them in one run."""
