"""The floor that says what the data is. Holds no imports: each room is loaded by whoever enters it."""
