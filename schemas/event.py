"""A journal row: evidence of what happened on a day. It is never an instruction."""

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Mood = Literal[
    "", "calm", "happy", "excited", "curious", "proud", "grateful", "neutral", "tired", "sad", "anxious", "frustrated", "angry"
]  # fmt: skip
MOOD: TypeAdapter[Mood] = TypeAdapter(Mood)
MOODS: tuple[str, ...] = tuple(mood for mood in get_args(Mood) if mood)
# Other words for a mood that a person may ask with, folded: Turkish ones, and what is near in English.
MOOD_WORDS = {
    "sakin": "calm", "huzurlu": "calm", "relaxed": "calm", "mutlu": "happy", "sevincli": "happy", "neseli": "happy", "glad": "happy", "heyecanli": "excited",
    "merakli": "curious", "gururlu": "proud", "minnettar": "grateful", "thankful": "grateful", "notr": "neutral", "yorgun": "tired", "bitkin": "tired",
    "exhausted": "tired", "uzgun": "sad", "huzunlu": "sad", "kaygili": "anxious", "endiseli": "anxious", "worried": "anxious", "stresli": "anxious",
    "bikkin": "frustrated", "hayal_kirikligi": "frustrated", "annoyed": "frustrated", "kizgin": "angry", "ofkeli": "angry", "sinirli": "angry",
}  # fmt: skip


class Event(BaseModel):
    """`day` is the person's local date of the content, not of the run; `conversation` links the talk; `mood` as it was then, "" if unsaid."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: Literal["event"] = "event"
    day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    topic: str = Field(min_length=1, max_length=80)
    conversation: str = ""
    mood: Mood = ""
