"""The floor that tells. Holds no imports: each room is loaded by whoever enters it."""
