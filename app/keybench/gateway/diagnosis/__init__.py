"""Diagnosis asks a gateway and the network between: answers, connections, certificates."""
