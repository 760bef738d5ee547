"""A scripted model server on 127.0.0.1, a process of its own: ``python -m lab.fake_model RULES.json REQUESTS.jsonl``.

It prints its port on the first line of stdout, answers ``POST /v1/messages`` (streamed or plain) and the other clients'
wires (`wires.py`, streamed) by the rules, and appends each such request to the record *before* it answers, as one line ``{"session", "body"}``. It must never record a
header that holds a key, and never reach further than loopback.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from lab import wires
from lab.rules import Rule, Script, load_rules
from lab.wire import encode_event, message, stream

SESSION_HEADER = "x-claude-code-session-id"


class Model(ThreadingHTTPServer):
    """The server with its script and its record; one for each run of a client."""

    daemon_threads = True

    def __init__(self, script: Script, record: Path) -> None:
        super().__init__(("127.0.0.1", 0), Door)
        self.script = script
        self.record = record
        self.lock = threading.Lock()
        self.never = threading.Event()  # nobody sets it: what a hanging request waits for until the process is ended


class Door(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: stdout carries the port and nothing else."""

    def do_HEAD(self) -> None:
        """Answer the client's probe."""
        self._plain(200, {})

    def do_POST(self) -> None:
        """Record the request and answer as the script says."""
        body = json.loads(self._body() or b"{}")
        kind = wires.kind_of(self.path.split("?")[0])
        if kind:
            self._other(kind, body)
            return
        if not self.path.split("?")[0].endswith("/v1/messages"):
            self._plain(404, {"type": "error", "error": {"type": "not_found_error", "message": self.path}})
            return
        rule = self._chosen(body)
        if rule.hangs:
            self.server.never.wait()
        whole = message(rule.says, model=str(body.get("model")), ident=uuid.uuid4().hex, input_tokens=rule.input_tokens)
        if body.get("stream"):
            self._streamed(whole, rule.piece, rule.pause)
        else:
            self._plain(200, whole)

    def _body(self) -> bytes:
        """The request's bytes; some clients send them in chunks."""
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        whole = b""
        while size := int(self.rfile.readline().split(b";")[0].strip() or b"0", 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def _chosen(self, body: dict[str, Any]) -> Rule:
        """Record a request in the form that rules read, and the rule that answers it."""
        row = {"session": self.headers.get(SESSION_HEADER, ""), "body": body}
        with self.server.lock:
            rule = self.server.script.answer(body)
            with self.server.record.open("a", encoding="utf-8") as record:
                record.write(json.dumps(row, ensure_ascii=False) + "\n")
        return rule

    def _other(self, kind: str, body: dict[str, Any]) -> None:
        """Answer another client's wire, streamed."""
        rule = self._chosen(wires.taken_down(kind, body))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for event in wires.events(kind, rule.says, uuid.uuid4().hex):
                self.wfile.write(event)
        except (BrokenPipeError, ConnectionResetError):
            return

    def _plain(self, status: int, value: dict[str, Any]) -> None:
        """Send one JSON object."""
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _streamed(self, whole: dict[str, Any], piece: int, pause: float) -> None:
        """Send the message as server-sent events; a client that has gone meanwhile is no fault of ours."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for event in stream(whole, piece):
                if event["type"] == "content_block_delta":
                    time.sleep(pause)
                self.wfile.write(encode_event(event))
        except (BrokenPipeError, ConnectionResetError):
            return


def main() -> None:
    """Serve until the process is ended."""
    rules, record = (Path(word) for word in sys.argv[1:3])
    model = Model(Script(load_rules(rules.read_text(encoding="utf-8"))), record)
    sys.stdout.write(f"{model.server_port}\n")
    sys.stdout.flush()
    model.serve_forever()


if __name__ == "__main__":
    main()
