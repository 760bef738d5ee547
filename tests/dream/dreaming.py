"""A person who types into sessions, heard as a client would write them; and all that a store holds, to be compared."""

import json
import time

from bellek.clients.claude_ears import ClaudeEars
from bellek.curator import capture
from bellek.kg import projects

AT = 1_796_000_000_000  # 2026-11-30 00:53:20 UTC
HOUR = 3_600_000


class Person:
    """Somebody who types into sessions of one project. Each line is a second later than the one before."""

    def __init__(self, home, folder, config):
        self.home = home
        self.folder = folder
        self.config = config
        self.clock = AT
        self.count = 0
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def project(self):
        """The project's id, once something was heard."""
        return projects.find(self.home.memory, str(self.folder))

    def types(self, *texts, session="s1", **more):
        """Type lines into a session and let them be heard; the person."""
        path = self.config / "projects" / self.folder.name / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            for text in texts:
                self.count += 1
                self.clock += 1000
                stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self.clock // 1000)) + ".000Z"
                line = {
                    "type": "user", "uuid": f"{self.folder.name}-{self.count}", "sessionId": session, "timestamp": stamp,
                    "cwd": str(self.folder), "version": "2.1.332", "entrypoint": "cli", "isSidechain": False, "promptSource": "typed",
                    "message": {"role": "user", "content": text}, **more,
                }  # fmt: skip
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        ears = ClaudeEars(str(self.config))
        capture.hear(self.home, ears, ears.transcripts([str(path)]))
        return self

    def rows(self, *statuses):
        """(kind, tier, origin, project is everywhere, text) of the memories, in order of their making."""
        found = self.home.memory.rows("SELECT kind, tier, origin, project = '*', text FROM memories ORDER BY n")
        return [(str(k), str(t), str(o), bool(everywhere), str(text)) for k, t, o, everywhere, text in found]

    def sources(self, id_):
        """The sessions a row comes from."""
        rows = self.home.memory.rows("SELECT DISTINCT conversation FROM sources WHERE memory = ? ORDER BY 1", (id_,))
        return [str(row[0]) for row in rows]


def dump(home):
    """Every row of every table, so that "nothing changed" can be said."""
    tables = home.memory.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%_fts_%' ORDER BY name"
    )
    return {str(name): home.memory.rows(f'SELECT * FROM "{name}"') for (name,) in tables}
