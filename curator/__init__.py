"""The floor that hears and decides. Holds no imports: each room is loaded by whoever enters it."""
