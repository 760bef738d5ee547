"""A person's decision at a vault's file: an edit taken in, a row forgotten because its file is gone, or a no.

Each is safe to be killed and given again: the row and the proposal about it are one commit, and a forgetting that was not
begun is asked about again, since its file is still on the list. It must only be called when a person decided.
"""

from bellek.curator import forgetting, review, vaulted
from bellek.curator.vaulted import Edit, Gone
from bellek.kg import failpoints, vault_files
from bellek.kg.home import Home


def take_in(home: Home, edit: Edit, *, actor: str, key: bytes = b"") -> str:
    """One edit, and the proposal of it where one waits, in one transaction; the row's id. Raises what `review.edit` does."""
    with home.memory.transaction():
        done = review.edit(home, edit.row.id, edit.text, actor=actor, key=key)
        vaulted.answered(home, "edit", edit.row.id, yes=True, actor=actor)
    failpoints.reach("vault-taken")
    return done.after.id


def forget(home: Home, gone: Gone, *, actor: str) -> None:
    """Forget the row of a file that was deleted; what was said stays."""
    with home.memory.transaction():
        vaulted.answered(home, "forget", gone.row.id, yes=True, actor=actor)
    failpoints.reach("vault-answered")
    forgetting.of_row(home, gone.row.id, actor)


def keep(home: Home, root: str, gone: Gone, *, actor: str) -> None:
    """Remember a row all the same: the next export writes its file anew."""
    with home.memory.transaction():
        vaulted.answered(home, "forget", gone.row.id, yes=False, actor=actor)
        vault_files.drop(home.memory, root, [gone.path])
