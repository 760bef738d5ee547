"""Memory that other programs wrote: what their exports hold, read into two plain values, and brought in by one writer."""
