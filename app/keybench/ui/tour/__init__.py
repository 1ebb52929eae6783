"""The tour: the real window drives itself through the main job, at a pace a class can follow."""
