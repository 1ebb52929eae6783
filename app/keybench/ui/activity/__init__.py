"""Activity: what was done on this computer, to look through and to hand to an auditor."""
