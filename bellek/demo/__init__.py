"""`bellek demo`: the road of a learning, shown in a throwaway home. Holds no imports."""
