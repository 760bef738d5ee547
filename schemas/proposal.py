"""A structural change that waits for a person: a new agent, skill, rule, or a change of identity."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Structure = Literal["agent", "skill", "rule", "identity", "page"]  # what a curator may propose
FromFiles = Literal["edit", "forget"]  # what the vault asks: a file says something else, or is gone


class Proposal(BaseModel):
    """The envelope's text is the change as proposed; nothing of it is carried out before an answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["proposal"] = "proposal"
    structure: Structure | FromFiles
    title: str = Field(min_length=1, max_length=200)
    state: Literal["waiting", "accepted", "declined"] = "waiting"
    answer: str = ""
    target: str = ""  # the row or file that it is about
    base: int = 0  # the row's revision when it was proposed
