"""The command line: one small file a group of verbs; parse, call one function, render."""
