"""The one error tree. Each error says what happened, why, and what to run next, and carries its exit status.

::

    BellekError            1  failed
    ├── NotFound           1  no such row, item or file
    ├── Refused            1  the input or the act is not allowed; nothing was changed
    │   └── NeverAgain     1  the value was refused or forgotten before
    ├── ModelFault         1  a model did not answer
    ├── UsageFault         2  the command's words are off
    ├── PersonNeeded       3  only a person may do this
    ├── Busy               4  another process holds what this needs
    └── StoreFault         5  the store cannot be used as it is
        ├── StoreDamaged
        ├── StoreNewer
        └── StoreReadOnly

It must never hold stored text that has not passed redaction: an error's words end up on screens and in logs.
"""


class BellekError(Exception):
    """Something failed. ``what`` is one sentence, ``why`` the cause, ``hint`` the next command or step."""

    exit_code = 1
    hint = "run `bellek doctor` to see the state of the store"

    def __init__(self, what: str, *, why: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.hint = hint or type(self).hint

    def __str__(self) -> str:
        why = f": {self.why}" if self.why else ""
        return f"{self.what}{why}. {self.hint[:1].upper()}{self.hint[1:]}."


class NotFound(BellekError):
    """No such row, item or file."""

    hint = "list what is there with the verb's `list` or `peek` form"


class Refused(BellekError):
    """The input or the act is not allowed; nothing was changed."""

    hint = "correct the input and run the command again"


class NeverAgain(Refused):
    """A person refused this value before, or it was forgotten: it is not written again."""

    hint = "nothing is to be done; a person can take a refusal back with `bellek undo BATCH`"


class ModelFault(BellekError):
    """A model did not answer. `sent` is False where the prompt surely reached nobody, so that nothing was spent."""

    hint = "look at the model's table in config/config.toml, and at the service it names"

    def __init__(self, what: str, *, why: str = "", hint: str = "", sent: bool = True) -> None:
        super().__init__(what, why=why, hint=hint)
        self.sent = sent


class UsageFault(BellekError):
    """The command's words are off."""

    exit_code = 2
    hint = "run the command with --help"


class PersonNeeded(BellekError):
    """Only a person may do this."""

    exit_code = 3
    hint = "ask the person to run it in a terminal of their own"


class Busy(BellekError):
    """Another process holds what this needs."""

    exit_code = 4
    hint = "try again in a moment"


class StoreFault(BellekError):
    """The store cannot be used as it is."""

    exit_code = 5


class StoreDamaged(StoreFault):
    """The file is not a sound database of ours."""

    hint = "nothing was moved; restore the last verified backup, or copy the file aside before you try to salvage it"


class StoreNewer(StoreFault):
    """The store was written by a newer version; its bytes were left as they are."""

    hint = "upgrade bellek, or point --home at another folder"


class StoreReadOnly(StoreFault):
    """The home or the file cannot be written by this process."""

    hint = "make the data home writable, or point --home at a folder of yours"
