"""The closed vocabularies: data, read by every floor.

It must never import anything: it is one of the prompt hook's rooms.
"""

ANY = "*"  # a scope coordinate that stands for "any"
FORGOTTEN = "[forgotten]"  # what stands where words were forgotten
NO_PROJECT = "-"  # heard without a working folder: kept, shown by doctor, in no packet

ORIGINS = ("user", "agent", "inferred", "tool", "web", "pasted", "file")
ORIGINS_KEPT_OUT = (
    "tool",
    "web",
    "pasted",
)  # found by search, never injected until a person promotes them or lets them in
# The one rule of what may be told, as a condition over a row `m` of memories: beside it only scope and status are asked.
MAY_BE_TOLD = f"(m.origin NOT IN {ORIGINS_KEPT_OUT} OR m.tier = 'T2' OR m.let_in)"
STATUSES = ("current", "contested", "superseded", "closed", "hidden", "quarantined", "refused")
STATUSES_OUT = ("hidden", "quarantined", "refused")  # such a row takes no part: in no slot, no list, no packet

LEARNING_KINDS = ("bug-fix", "decision", "pattern", "anti-pattern", "discovery", "convention")
IMPORTANCE = ("low", "medium", "high", "critical")  # in rising order

HIDDEN_CHANNELS = ("ack", "learning", "profile-fact", "task")  # hidden on screen where no setting names others
AUTHORS = ("user", "assistant")
