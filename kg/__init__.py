"""The floor that keeps and finds. Holds no imports: each room is loaded by whoever enters it."""
