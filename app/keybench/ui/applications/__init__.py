"""The register of applications: which of them use which key, and who looks after them."""
