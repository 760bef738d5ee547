"""The page of a person: memory in a browser, on loopback alone. Needs the extra ``bellek[web]``."""
