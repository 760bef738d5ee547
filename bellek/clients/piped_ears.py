"""What a client hands over when a turn is over: for those whose own store cannot be read, or has lost what was said.

Three forms. Ours, which our plugins and any program send: ``messages``, each with ``role``, ``text``, and if it has them
``id`` and ``at`` (UTC milliseconds). Gemini CLI's AfterAgent: ``prompt`` and ``prompt_response``. Hermes's post_llm_call:
``user_message`` and ``assistant_response`` under ``extra``. Nothing that comes this
way counts as typed by a person: whoever can start a command can send it. It must never raise on what it is handed.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from bellek.clients import gemini
from bellek.clients.injected import FOREIGN_TAGS, cut_blocks
from bellek.clients.loose import as_dict, as_string, as_time
from bellek.curator.transcripts import Line
from bellek.kg import clock
from bellek.schemas import fence
from bellek.schemas.conversation import Author, Event, PacketSeen, Said, TranscriptFile, Unreadable, storable

AUTHORS: dict[str, Author] = {"user": "user", "assistant": "assistant"}
MOST = 10_000  # messages of one turn
LATEST = 1 << 50  # UTC milliseconds: an instant beyond it is none


class PipedEars:
    """Of a client by its name; it has no files to sweep."""

    def __init__(self, name: str) -> None:
        self.name = name

    def transcripts(self, only: list[str]) -> Iterable[TranscriptFile | Unreadable]:  # noqa: ARG002  no file is heard
        """None: what was said comes when a turn is over, or not at all."""
        return ()

    def events(self, file: TranscriptFile, line: Line) -> tuple[Event, ...]:  # noqa: ARG002  no line is heard
        """None."""
        return ()

    def piped(self, raw: bytes) -> list[Event]:
        """What was handed over, in order; nothing where it is no JSON object."""
        try:
            data = json.loads(raw.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return []
        return list(self._told(as_dict(data)))

    def _told(self, data: dict[str, Any]) -> Iterator[Event]:
        session, cwd = as_string(data.get("session_id")), as_string(data.get("cwd"))
        said = data.get("messages")
        messages = said if isinstance(said, list) else list(_of_turn(data))
        for message in messages[:MOST]:
            one = as_dict(message)
            text = as_string(one.get("text"))
            given = one.get("at")
            at = given if isinstance(given, int) and 0 < given < LATEST else clock.now()
            yield from (PacketSeen(id_, session, at) for id_ in dict.fromkeys(fence.find(text)))
            author = AUTHORS.get(as_string(one.get("role")))
            text = fence.strip(text)
            if author == "user":
                text, _ = cut_blocks(text, FOREIGN_TAGS)
            if author is None or not text.strip() or not session:
                continue
            yield Said(
                id=self._id(session, as_string(one.get("id")), f"{author}\0{at}\0{text}"), session=session, parent=None, author=author,
                origin="agent", typed=False, machine=False, text=storable(text), at=at, offset_minutes=None, cwd=cwd, agent=self.name,
                sidechain=False,
            )  # fmt: skip

    def _id(self, session: str, id: str, otherwise: str) -> str:
        """A message's own id within its client and session; without one a hash of who said what when."""
        given = f"{self.name}\0{session}\0{id or otherwise}"
        return "h-" + hashlib.blake2b(given.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _of_turn(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Both sides of a turn in the form of Hermes's post_llm_call or Gemini CLI's AfterAgent."""
    extra = as_dict(data.get("extra"))
    if extra:
        turn = as_string(extra.get("turn_id"))
        yield {"role": "user", "text": as_string(extra.get("user_message")), "id": turn and f"{turn}-user"}
        yield {
            "role": "assistant",
            "text": as_string(extra.get("assistant_response")),
            "id": turn and f"{turn}-assistant",
        }
        return
    at, _ = as_time(data.get("timestamp"))
    when = {"at": at} if at else {}
    yield {"role": "user", "text": gemini.own_words(as_string(data.get("prompt"))), **when}
    yield {"role": "assistant", "text": as_string(data.get("prompt_response")), **when}
