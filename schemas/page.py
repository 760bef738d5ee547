"""A wiki page: what is known of one topic, replaced or merged as a whole. Its text is the envelope's."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Page(BaseModel):
    """One current page a topic and project; `title` is for people."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["page"] = "page"
    topic: str = Field(min_length=1, max_length=80)
    title: str = Field(min_length=1, max_length=200)
