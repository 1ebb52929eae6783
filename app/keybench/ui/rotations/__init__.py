"""The Rotations page: one key replaced by another, stage by stage."""
