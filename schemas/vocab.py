"""The closed vocabularies: data, read by every floor.

It must never import anything: it is one of the prompt hook's rooms.
"""

ANY = "*"  # a scope coordinate that stands for "any"
FORGOTTEN = "[forgotten]"  # what stands where words were forgotten
NO_PROJECT = "-"  # heard without a working folder: kept, shown by doctor, in no packet

ORIGINS = ("user", "agent", "inferred", "tool", "web", "pasted", "file")
ORIGINS_KEPT_OUT = ("tool", "web", "pasted")  # found by search, never injected until a person lets them in
STATUSES = ("current", "contested", "superseded", "closed", "hidden")

LEARNING_KINDS = ("bug-fix", "decision", "pattern", "anti-pattern", "discovery", "convention")
IMPORTANCE = ("low", "medium", "high", "critical")  # in rising order

HIDDEN_CHANNELS = ("learning", "task", "profile-fact")  # hidden on screen where no setting names others
AUTHORS = ("user", "assistant")
